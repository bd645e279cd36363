// Memory of a rank's GPU over time, in few points.
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

/// From time_ns on, Unix time by the rank's own clock.
struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
  bool operator==(const MemoryPoint&) const = default;
};

/// Measure of a rank's memory. The two differ by rounding and by frees that a stream still holds up, so only
/// values of one measure are compared.
enum class MemoryMeasure : std::uint8_t {
  allocated,  ///< a trace's "Total Allocated": rounded blocks from alloc to free, as
              ///< torch.cuda.memory_allocated()
  requested,  ///< a snapshot's MemoryCurve::requested: requested bytes from alloc to free_completed
};

/// Title of a column of peaks, and what it is about.
struct PeakColumn {
  msg::Id title;
  msg::Id about;
};
PeakColumn peak_column(MemoryMeasure measure);
/// "requested" or "allocated".
std::string_view name_of(MemoryMeasure measure);

/// Memory of the rank's GPU with the highest peak.
struct RankMemory {
  static constexpr std::size_t kMostPoints = 2048;

  std::int64_t peak_bytes = -1;  ///< -1: the recording does not tell
  std::int64_t peak_ns = 0;
  /// Sorted by time; if there were more points, the highest and the last of each part.
  std::vector<MemoryPoint> curve;

  /// Allocated at that moment of its own clock; -1 before the first point. O(log points).
  std::int64_t bytes_at(std::int64_t time_ns) const;
};

/// The most that was allocated in [begin, end), with what was there at its begin; -1: nothing is known of it.
/// O(log points + points within).
std::int64_t peak_within(std::span<const MemoryPoint> curve, std::int64_t begin_ns, std::int64_t end_ns);

/// The memory of a rank by an allocator snapshot of its process.
struct RankSnapshot {
  RankMemory memory;                  ///< MemoryMeasure::requested
  std::vector<MemoryDevice> devices;  ///< GPUs with allocations; peak_time_ns is Unix time, peak_slice none
};

/// Returns a point per change of MemoryMeasure::allocated, of the GPU with the highest peak; empty if the
/// trace has no memory events of a GPU. O(events).
std::vector<MemoryPoint> memory_points_of(const Trace& trace, const std::stop_token& stop);

/// O(points).
RankMemory rank_memory(std::span<const MemoryPoint> points);

/// O(entries).
RankSnapshot rank_snapshot(const Snapshot& snapshot, const std::stop_token& stop);

}  // namespace kino
