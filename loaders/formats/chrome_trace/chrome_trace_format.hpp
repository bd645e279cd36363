// The format of Chrome-trace JSON.
#pragma once

#include <functional>

#include "loaders/cache/format.hpp"
#include "loaders/formats/chrome_trace/told_events.hpp"

namespace kino {

/// Surely if the head has keys of traces, maybe for other JSON, barely if log lines precede.
Likeness chrome_trace_likeness(std::string_view head);
/// Parses and builds the trace, and measures both times.
Result<OpenedFile> open_chrome_trace(const FormatInput& input);

/// Builds a trace from events that `tell` reports while it writes input.content. `tell` must end the text.
Result<OpenedFile> open_told_events(const FormatInput& input, const std::function<void(ToldEvents&)>& tell);

inline constexpr Format kChromeTrace = {"chrome-trace", "a trace of the PyTorch profiler",
                                        Format::Holds::trace, chrome_trace_likeness, open_chrome_trace};

}  // namespace kino
