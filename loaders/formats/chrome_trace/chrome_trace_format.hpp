// The format of Chrome-trace JSON.
#pragma once

#include <functional>

#include "loaders/cache/format.hpp"
#include "loaders/formats/chrome_trace/event_sink.hpp"

namespace kino {

/// Returns `surely` if the head has keys of traces, `maybe` for other JSON, and `none` for unsupported
/// content. Returns `barely` if other text, such as log lines, comes first.
FormatMatch chrome_trace_match(std::string_view head);
/// Parses and builds the trace, and measures the time of both.
Result<OpenedFile> open_chrome_trace(const FormatInput& input);

/// Builds a trace from the events that `tell` passes to the sink. `tell` also writes and ends the text in
/// input.content.
Result<OpenedFile> open_event_sink(const FormatInput& input, const std::function<void(EventSink&)>& tell);

inline constexpr Format kChromeTrace = {"chrome-trace", "a trace of the PyTorch profiler",
                                        Format::Holds::trace, chrome_trace_match, open_chrome_trace};

}  // namespace kino
