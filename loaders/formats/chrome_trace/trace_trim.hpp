// Writes the part of a trace that touches a time range as a separate trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/text_source.hpp"

namespace kino {

/// Writes to `out`, as TextFile does (gzip if it ends in .gz), a Kineto JSON document with
/// - every slice that touches [begin_ns, end_ns), at full length,
/// - slices that launched a slice in the range or were launched by it, with their parents,
/// - flow arrows whose ends are all written,
/// - instants and samples in the range or at its end, and each counter's last sample at or before its start,
/// - all metadata: names of processes and threads, and other members of the first document
///   (those before the events only up to 1 MiB each).
///
/// Events are copied in file order, or repaired if their JSON is invalid. Events of further arrays and
/// documents are added to the first array; "ts" is rewritten if a document has another time base.
///
/// Reads `text` up to three times, 1 MiB at a time: to find further arrays, to find flows or begin-end pairs,
/// and to write. `bytes_read` increases by at most three times text.size_bytes(). Memory depends on the
/// number of events, not on the size of the text. Fails if `text` has changed, if it has no event array, or
/// if writing fails, and leaves `out` unchanged. O(text).
Result<TrimReport> write_trimmed(const Trace& trace, const TextSource& text, TimeRange range,
                                 const std::filesystem::path& out, std::atomic<std::uint64_t>& bytes_read,
                                 const std::stop_token& stop);

}  // namespace kino
