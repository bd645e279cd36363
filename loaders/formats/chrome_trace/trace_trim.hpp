// Writes the part of a trace that touches a time range as a trace of its own, event by event from the text.
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

/// Writes to `out` as TextFile does (gzip when it ends in .gz) a Kineto JSON document with
/// - every slice that touches [begin_ns, end_ns), with all of its length,
/// - what a slice in the range launched or was launched by, even outside of it, with the slices around that,
/// - flow arrows both of whose ends are there,
/// - points in the range, and each counter's last sample before it, which still holds at its begin,
/// - all metadata: names of processes and threads, and the first document's other members.
/// Events stand as they are in the file, in its order; those whose JSON had to be repaired are written
/// repaired, those of further arrays and documents go into the one array, and where a document's times count
/// from another base "ts" is written anew. `text` is read once, once more when there are flows or begin-end
/// pairs, and once more when there are further arrays, a MiB at a time: memory does not grow with the text.
/// `bytes_read` counts from 0 to three times text.size_bytes() at most. O(text).
/// Fails when `text` has changed meanwhile, and as TextFile does; then `out` is as it was.
Result<TrimReport> write_trimmed(const Trace& trace, const TextSource& text, TimeRange range,
                                 const std::filesystem::path& out, std::atomic<std::uint64_t>& bytes_read,
                                 const std::stop_token& stop);

}  // namespace kino
