#include "core/job/rank_memory.hpp"

#include <algorithm>
#include <iterator>

#include "core/operators/memory_table.hpp"
#include "core/snapshot/curve_values.hpp"

namespace kino {
namespace {

std::int64_t highest_of(std::span<const MemoryPoint> points) {
  std::int64_t highest = -1;
  for (const MemoryPoint& it : points) highest = std::max(highest, it.bytes);
  return highest;
}

}  // namespace

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
    for (const CurvePoint& it : curve.points) {
      constexpr double kMost = 4e18;
      points.push_back(
          {trace.origin_unix_ns + it.time_ns, static_cast<std::int64_t>(std::clamp(it.value, 0.0, kMost))});
    }
    if (highest_of(points) > highest_of(most)) most = std::move(points);
  }
  return most;
}

std::vector<MemoryPoint> memory_points_of(const Snapshot& snapshot, const std::stop_token& stop) {
  constexpr std::int64_t kNsPerUs = 1000;
  constexpr std::int64_t kMostUs = std::int64_t{1} << 51;  // the year 2041
  std::vector<MemoryPoint> most;
  for (const SnapshotDevice& device : snapshot.devices) {
    if (device.host) continue;
    const auto times = device.entries.time_us.span();
    std::vector<MemoryPoint> points;
    visit_curve(device, MemoryCurve::allocated, stop, [&](std::size_t event, std::uint64_t bytes) {
      const std::int64_t time_us = std::clamp<std::int64_t>(times[event], -kMostUs, kMostUs);
      points.push_back(
          {time_us * kNsPerUs, static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX))});
    });
    std::ranges::stable_sort(points, {}, &MemoryPoint::time_ns);
    if (highest_of(points) > highest_of(most)) most = std::move(points);
  }
  return most;
}

RankMemory rank_memory(std::span<const MemoryPoint> points) {
  RankMemory memory;
  for (const MemoryPoint& it : points) {
    if (it.bytes <= memory.peak_bytes) continue;
    memory.peak_bytes = it.bytes;
    memory.peak_ns = it.time_ns;
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

}  // namespace kino
