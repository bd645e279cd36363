// Perfetto's protobuf traces (.pftrace, .perfetto-trace) as one of the formats that open.
#pragma once

#include "loaders/cache/format.hpp"

namespace kino {

/// Surely when all packets at the begin are such, or the first is a compressed one.
Likeness perfetto_likeness(std::string_view head);
Result<OpenedFile> open_perfetto(const FormatInput& input);

inline constexpr Format kPerfetto = {"perfetto", "a Perfetto trace", Format::Holds::trace, perfetto_likeness,
                                     open_perfetto};

}  // namespace kino
