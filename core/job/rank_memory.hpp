// How much memory a rank's GPU had allocated when, in few points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/counter_curve.hpp"
#include "core/snapshot/snapshot.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// From time_ns on, Unix time by the rank's own clock.
struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
  bool operator==(const MemoryPoint&) const = default;
};

/// Of the GPU of a rank that had most allocated at once.
struct RankMemory {
  static constexpr std::size_t kMostPoints = 2048;

  std::int64_t peak_bytes = -1;  ///< -1: the recording does not tell
  std::int64_t peak_ns = 0;
  std::vector<MemoryPoint>
      curve;  ///< in order; where there were more points, the highest and last of each part

  /// Allocated at that moment of its own clock; -1 before the first point. O(log points).
  std::int64_t bytes_at(std::int64_t time_ns) const;
};

/// The most that was allocated in [begin, end), with what was there at its begin; -1: nothing is known of it.
/// O(log points + points within).
std::int64_t peak_within(std::span<const MemoryPoint> curve, std::int64_t begin_ns, std::int64_t end_ns);

/// At every change, from what the allocator or the profiler recorded of its GPU; empty where it recorded
/// nothing. O(events).
std::vector<MemoryPoint> memory_points_of(const Trace& trace, const std::stop_token& stop);
std::vector<MemoryPoint> memory_points_of(const Snapshot& snapshot, const std::stop_token& stop);

/// O(points).
RankMemory rank_memory(std::span<const MemoryPoint> points);

}  // namespace kino
