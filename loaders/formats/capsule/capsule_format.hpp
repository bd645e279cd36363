// The format of trace capsules.
#pragma once

#include <string_view>

#include "loaders/cache/format.hpp"

namespace kino {

FormatMatch capsule_match(std::string_view head);
Result<OpenedFile> open_capsule(const FormatInput& input);

inline constexpr Format kCapsule = {"capsule",     "a capsule",  Format::Holds::trace,
                                    capsule_match, open_capsule, false};

}  // namespace kino
