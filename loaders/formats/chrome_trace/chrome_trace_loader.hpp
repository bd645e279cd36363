// Chrome-trace JSON as Kineto and its relatives write it: split into units, parsed in parallel, put together.
//
// Constraints: files of any size; strings full of braces, quotes and line breaks; text that may still be
// arriving from a decompressor. Measured on a 514 MB Kineto trace, two Zen 3 cores: see README.
//
// The text is cut every 64 KiB at the next separator of events, learnt from the first two. A cut may be
// wrong (the same bytes can stand inside a string), so a unit counts only when the unit before it ended, as
// valid JSON, exactly where it begins: by induction from the start of the array the result is that of a
// serial parse. What does not fit is parsed again from the last place known to be right.
#pragma once

#include <memory>
#include <stop_token>

#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Parses `text` while it grows. Fills everything of the BuildInput but threads and callbacks.
Result<BuildInput> parse_chrome_trace(GrowingText& text, const OpenOptions& options, LoadProgress& progress,
                                      const std::stop_token& stop);

}  // namespace kino
