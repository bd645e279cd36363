// Chrome-trace JSON as one of the formats that open.
#pragma once

#include "loaders/cache/format.hpp"

namespace kino {

/// Surely with names that traces have at their begin, maybe with any JSON, barely with lines of a log before.
Likeness chrome_trace_likeness(std::string_view head);
/// Parses, builds, and times both.
Result<OpenedFile> open_chrome_trace(const FormatInput& input);

inline constexpr Format kChromeTrace = {"chrome-trace", "a trace of the PyTorch profiler",
                                        Format::Holds::trace, chrome_trace_likeness, open_chrome_trace};

}  // namespace kino
