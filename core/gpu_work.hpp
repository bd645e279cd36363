// Kernels, copies and memsets of a time range, by stream and in order of time: what the GPU tables start
// from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace.hpp"

namespace kino {

/// One GPU stream's work in order of start, then of end.
struct StreamWork {
  TrackId track{};
  std::vector<SliceId> slices;
};

struct GpuWork {
  std::vector<StreamWork> streams;  ///< in display order, those without work left out
  std::size_t size() const;
};

/// The part of [start, end) that lies in `range`; never negative.
inline TimeRange clipped(TimeRange range, std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t begin = std::max(range.begin_ns, begin_ns);
  return {begin, std::max(begin, std::min(range.end_ns, end_ns))};
}

/// A slice has a part in the range: one of no length, when it starts in it.
inline bool in_range(TimeRange range, std::int64_t start_ns, std::int64_t duration_ns) {
  if (duration_ns == 0) return start_ns >= range.begin_ns && start_ns < range.end_ns;
  return start_ns < range.end_ns && start_ns + duration_ns > range.begin_ns;
}

/// Slices of a row, [first, last).
struct SliceSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Those with a part in the range. O(log slices).
SliceSpan slices_in(const Trace& trace, const Row& row, TimeRange range);

/// The range that holds everything, also what starts at the very end.
inline TimeRange whole_range(const Trace& trace) { return {trace.range.begin_ns, trace.range.end_ns + 1}; }

/// The sentence on how much of the GPU time an operator is known to have launched. `all_ns` is above 0.
std::string launch_coverage(std::int64_t known_ns, std::int64_t all_ns);

/// All GPU work with a part in `range`. Empty when stopped. O(slices in the range), and a sort of streams
/// whose slices overlap.
GpuWork gpu_work_in(const Trace& trace, TimeRange range, const std::stop_token& stop = {});

/// "7" or, where the trace has several GPUs, "GPU 0 · 7".
std::string stream_name(const Trace& trace, TrackId track);

}  // namespace kino
