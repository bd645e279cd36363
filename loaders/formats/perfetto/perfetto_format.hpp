// Perfetto's protobuf traces (.pftrace, .perfetto-trace) as a file format.
#pragma once

#include "loaders/cache/format.hpp"

namespace kino {

/// Returns `surely` if `head` starts with complete packets, and the first ones (at most 8) are valid. Also
/// returns `surely` if one of the first packets is compressed.
FormatMatch perfetto_match(std::string_view head);
Result<OpenedFile> open_perfetto(const FormatInput& input);

inline constexpr Format kPerfetto = {"perfetto", "a Perfetto trace", Format::Holds::trace, perfetto_match,
                                     open_perfetto};

}  // namespace kino
