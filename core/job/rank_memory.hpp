// GPU memory of a rank over time, with a limited number of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/memory/snapshot.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Memory from `time_ns` on. Times are Unix time by the rank's own clock.
struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
  bool operator==(const MemoryPoint&) const = default;
};

/// Measure of a rank's memory. The two measures differ by rounding and by frees that wait for a stream, so
/// only values of one measure are compared.
enum class MemoryMeasure : std::uint8_t {
  allocated,  ///< "Total Allocated" of a trace: rounded blocks from alloc to free, as
              ///< torch.cuda.memory_allocated()
  requested,  ///< MemoryCurve::requested of a snapshot: requested bytes from alloc to free_completed
};

/// Title and definition of a column of peaks.
struct PeakColumn {
  msg::Id title;
  msg::Id about;
};
PeakColumn peak_column(MemoryMeasure measure);
/// Returns "requested" or "allocated".
std::string_view name_of(MemoryMeasure measure);

/// Memory of the rank's GPU that has the highest peak.
struct RankMemory {
  static constexpr std::size_t kMostPoints = 2048;

  std::int64_t peak_bytes = -1;  ///< -1: not recorded
  std::int64_t peak_ns = 0;
  /// Memory over time, sorted by time. If there were more points than kMostPoints, the curve has the highest
  /// and the last point of each of kMostPoints / 2 parts.
  std::vector<MemoryPoint> curve;

  /// Returns the memory at a time of the rank's own clock; -1 before the first point. O(log points).
  std::int64_t bytes_at(std::int64_t time_ns) const;
};

/// Returns the maximum in [begin, end), including the value at the start; -1 if unknown. O(log points +
/// points within).
std::int64_t peak_within(std::span<const MemoryPoint> curve, std::int64_t begin_ns, std::int64_t end_ns);

/// Memory of a rank from an allocator snapshot of its process.
struct RankSnapshot {
  RankMemory memory;                  ///< MemoryMeasure::requested
  std::vector<MemoryDevice> devices;  ///< GPUs with entries; peak_time_ns is Unix time
};

/// Returns one point per change of MemoryMeasure::allocated on the GPU with the highest peak; empty if the
/// trace has no memory events of a GPU. O(events).
std::vector<MemoryPoint> memory_points_of(const Trace& trace, const std::stop_token& stop);

/// Returns the peak, and a curve of at most kMostPoints points. O(points).
RankMemory rank_memory(std::span<const MemoryPoint> points);

/// Returns the memory of the snapshot's process. O(entries log entries).
RankSnapshot rank_snapshot(const Snapshot& snapshot, const std::stop_token& stop);

}  // namespace kino
