// Builds the immutable Trace from the parse workers' records: merge, pair, sort, lanes, columns, links,
// index.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/build/event_batch.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct BuildInput {
  std::vector<EventBatch> batches;
  /// Ranges where parsing started at a wrong offset. Records that start in them do not count, except records
  /// of repaired batches. Sorted, disjoint.
  std::vector<ByteRange> discarded;
  /// Undoes the file's escaping of names, categories, pids, tids and metadata; may be empty. For names, it is
  /// called once for each distinct name of each batch.
  std::function<std::string(std::string_view)> decode;
  /// Returns the text at an offset, for damage that is found while building; may be empty.
  std::function<std::string(std::uint64_t)> sample_at;
  std::int64_t base_time_ns = 0;  ///< the file's offset, to be added to every timestamp
  JobInfo job;
  DamageLog damage;
  EventCounts counts;
  unsigned threads = 0;               ///< number of threads; 0: all of the hardware
  std::function<void()> on_indexing;  ///< called when slices have been arranged; may be empty
};

/// Builds the trace. Consumes `input` and frees its memory while the columns grow. Fails with `cancelled` if
/// stopped, and with `too_large` above 2^32 - 2 slices. O(n log runs), parallel over tracks.
Result<std::shared_ptr<const Trace>> build_trace(BuildInput&& input, const std::stop_token& stop);

}  // namespace kino
