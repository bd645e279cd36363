// Chrome-trace JSON as one of the formats that open.
#pragma once

#include <functional>

#include "loaders/cache/format.hpp"
#include "loaders/formats/chrome_trace/told_events.hpp"

namespace kino {

/// Surely with names that traces have at their begin, maybe with any JSON, barely with lines of a log before.
Likeness chrome_trace_likeness(std::string_view head);
/// Parses, builds, and times both.
Result<OpenedFile> open_chrome_trace(const FormatInput& input);

/// Builds what `tell` tells of a text of its own writing, input.content, which has ended when it returns.
Result<OpenedFile> open_told_events(const FormatInput& input, const std::function<void(ToldEvents&)>& tell);

inline constexpr Format kChromeTrace = {"chrome-trace", "a trace of the PyTorch profiler",
                                        Format::Holds::trace, chrome_trace_likeness, open_chrome_trace};

}  // namespace kino
