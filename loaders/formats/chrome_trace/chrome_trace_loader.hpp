// Parses Chrome-trace JSON in parallel units.
//
// Files can have any size, strings can contain braces, quotes and line breaks, and the text can still grow
// while it is parsed.
//
// The text is cut into units every 64 KiB, at the next separator between events. The separator is detected
// from the first two events. A cut can be wrong, since the bytes of the separator can occur in a string. So a
// unit is accepted only if the preceding unit was read up to its end, which must be the start of this unit.
// By induction the result equals the result of a serial parse. If a unit is rejected, the text is parsed
// again from the last accepted position. Measurements: README.
#pragma once

#include <stop_token>

#include "core/trace/build/trace_builder.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Parses `text` while it grows. Fills the BuildInput except for `threads`, `sample_at` and `on_indexing`.
Result<BuildInput> parse_chrome_trace(GrowingText& text, const OpenOptions& options, LoadProgress& progress,
                                      const std::stop_token& stop);

}  // namespace kino
