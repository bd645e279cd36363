#include "core/job/rank_memory.hpp"

#include <algorithm>
#include <iterator>

namespace kino {
namespace {

std::int64_t highest_of(std::span<const MemoryPoint> points) {
  std::int64_t highest = -1;
  for (const MemoryPoint& point : points) highest = std::max(highest, point.bytes);
  return highest;
}

std::int64_t clamped(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX));
}

/// Returns the points of MemoryMeasure::requested, sorted by time.
std::vector<MemoryPoint> requested_points(const SnapshotDevice& device, const std::stop_token& stop) {
  constexpr std::int64_t kNsPerUs = 1000;
  constexpr std::int64_t kMostUs = std::int64_t{1} << 51;  // the year 2041
  const auto times = device.entries.time_us.span();
  const auto point_at = [&](std::size_t event, std::uint64_t bytes) {
    const std::int64_t time_us = std::clamp<std::int64_t>(times[event], -kMostUs, kMostUs);
    return MemoryPoint{time_us * kNsPerUs, clamped(bytes)};
  };
  std::vector<MemoryPoint> points;
  // Memory that is live when the recording starts may exceed all later values.
  points.push_back(point_at(0, curve_at(device, MemoryCurve::requested, kBeforeRecording)));
  visit_curve(device, MemoryCurve::requested, stop,
              [&](std::size_t event, std::uint64_t bytes) { points.push_back(point_at(event, bytes)); });
  std::ranges::stable_sort(points, {}, &MemoryPoint::time_ns);
  return points;
}

/// Returns sums over the recording. Allocations and frees from before or after it do not count.
MemoryDevice device_sums(const SnapshotDevice& device, const RankMemory& memory) {
  const Allocations& allocations = device.history.allocations;
  MemoryDevice sums;
  sums.device = static_cast<std::uint32_t>(std::max(device.ordinal, 0));
  sums.peak_bytes = std::max<std::int64_t>(memory.peak_bytes, 0);
  sums.peak_time_ns = memory.peak_ns;
  sums.end_bytes = memory.curve.empty() ? 0 : memory.curve.back().bytes;
  std::uint64_t allocated = 0;
  std::uint64_t freed = 0;
  for (std::size_t i = 0; i < allocations.count(); ++i) {
    if (allocations.begin[i] != kBeforeRecording) {
      ++sums.allocations;
      allocated += allocations.size[i];
    }
    if (allocations.end[i] != kNever) {
      ++sums.frees;
      freed += allocations.size[i];
    }
  }
  sums.allocated_bytes = clamped(allocated);
  sums.freed_bytes = clamped(freed);
  return sums;
}

}  // namespace

PeakColumn peak_column(MemoryMeasure measure) {
  if (measure == MemoryMeasure::requested) return {msg::peak_requested, msg::peak_requested_meaning};
  return {msg::peak_allocated, msg::peak_allocated_meaning};
}

std::string_view name_of(MemoryMeasure measure) {
  return measure == MemoryMeasure::requested ? "requested" : "allocated";
}

std::int64_t RankMemory::bytes_at(std::int64_t time_ns) const {
  const auto next = std::ranges::upper_bound(curve, time_ns, {}, &MemoryPoint::time_ns);
  return next == curve.begin() ? -1 : std::prev(next)->bytes;
}

std::int64_t peak_within(std::span<const MemoryPoint> curve, std::int64_t begin_ns, std::int64_t end_ns) {
  const auto first = std::ranges::upper_bound(curve, begin_ns, {}, &MemoryPoint::time_ns);
  std::int64_t peak = first == curve.begin() ? -1 : std::prev(first)->bytes;
  for (auto it = first; it != curve.end() && it->time_ns < end_ns; ++it) peak = std::max(peak, it->bytes);
  return peak;
}

std::vector<MemoryPoint> memory_points_of(const Trace& trace, const std::stop_token& stop) {
  std::vector<MemoryPoint> most;
  for (const AllocatedCurve& curve : memory_curves(trace, stop)) {
    if (curve.device == ArgumentColumns::kMemoryHost) continue;
    std::vector<MemoryPoint> points;
    points.reserve(curve.points.size());
    for (const CurvePoint& point : curve.points) {
      constexpr double kMost = 4e18;
      points.push_back({trace.origin_unix_ns + point.time_ns,
                        static_cast<std::int64_t>(std::clamp(point.value, 0.0, kMost))});
    }
    if (highest_of(points) > highest_of(most)) most = std::move(points);
  }
  return most;
}

RankMemory rank_memory(std::span<const MemoryPoint> points) {
  RankMemory memory;
  for (const MemoryPoint& point : points) {
    if (point.bytes <= memory.peak_bytes) continue;
    memory.peak_bytes = point.bytes;
    memory.peak_ns = point.time_ns;
  }
  if (points.size() <= RankMemory::kMostPoints) {
    memory.curve.assign(points.begin(), points.end());
    return memory;
  }
  constexpr std::size_t kParts = RankMemory::kMostPoints / 2;
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto of_part = points.subspan(part * points.size() / kParts,
                                        (part + 1) * points.size() / kParts - part * points.size() / kParts);
    const auto highest = std::ranges::max_element(of_part, {}, &MemoryPoint::bytes);
    memory.curve.push_back(*highest);
    if (&*highest != &of_part.back()) memory.curve.push_back(of_part.back());
  }
  return memory;
}

RankSnapshot rank_snapshot(const Snapshot& snapshot, const std::stop_token& stop) {
  RankSnapshot out;
  for (const SnapshotDevice& device : snapshot.devices) {
    // If there are no entries, it is unknown when the live memory was allocated.
    if (device.host || device.entries.entry_count() == 0) continue;
    const std::vector<MemoryPoint> points = requested_points(device, stop);
    RankMemory memory = rank_memory(points);
    out.devices.push_back(device_sums(device, memory));
    if (memory.peak_bytes > out.memory.peak_bytes) out.memory = std::move(memory);
  }
  return out;
}

}  // namespace kino
