// Builds and queries a CurvePyramid for a curve that is defined by its changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/allocation_ids.hpp"
#include "core/memory/snapshot_history.hpp"

namespace kino {

inline constexpr CurveExtent kNoExtent{~std::uint64_t{0}, 0, 0};

inline CurveExtent joined(const CurveExtent& a, const CurveExtent& b) {
  return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest), b.last};
}

/// Builds a pyramid. `delta(event)` returns the change of the curve at an event, modulo 2^64. O(count).
template <class Delta>
CurvePyramid curve_pyramid(std::size_t count, std::uint64_t start, const Delta& delta) {
  CurvePyramid curve;
  curve.start = start;
  curve.peak = {start, kBeforeRecording};
  std::vector<CurveExtent> level;
  level.reserve(count / CurvePyramid::kBlock + 1);
  std::uint64_t value = start;
  for (std::size_t first = 0; first < count; first += CurvePyramid::kBlock) {
    CurveExtent extent = kNoExtent;
    const std::size_t end = std::min(count, first + CurvePyramid::kBlock);
    for (std::size_t i = first; i < end; ++i) {
      value += delta(static_cast<EventIndex>(i));
      if (value > curve.peak.bytes) curve.peak = {value, static_cast<EventIndex>(i)};
      extent = joined(extent, {value, value, value});
    }
    level.push_back(extent);
  }
  while (level.size() > 1) {
    std::vector<CurveExtent> above((level.size() + CurvePyramid::kFan - 1) / CurvePyramid::kFan, kNoExtent);
    for (std::size_t i = 0; i < level.size(); ++i)
      above[i / CurvePyramid::kFan] = joined(above[i / CurvePyramid::kFan], level[i]);
    curve.levels.push_back(std::move(level));
    level = std::move(above);
  }
  curve.levels.push_back(std::move(level));
  return curve;
}

/// Returns the value after `event`, like curve_at().
template <class Delta>
std::uint64_t pyramid_at(const CurvePyramid& curve, std::size_t count, EventIndex event, const Delta& delta) {
  event = std::min(event, static_cast<EventIndex>(count) - 1);
  if (event < 0) return curve.start;
  const std::size_t block = static_cast<std::size_t>(event) / CurvePyramid::kBlock;
  std::uint64_t value = block == 0 ? curve.start : curve.levels.front()[block - 1].last;
  for (auto i = static_cast<EventIndex>(block * CurvePyramid::kBlock); i <= event; ++i) value += delta(i);
  return value;
}

/// Returns the extent of the values between two events, like curve_over().
template <class Delta>
CurveExtent pyramid_over(const CurvePyramid& curve, std::size_t count, EventIndex first, EventIndex last,
                         const Delta& delta) {
  last = std::min(last, static_cast<EventIndex>(count) - 1);
  if (last < 0) return {curve.start, curve.start, curve.start};
  CurveExtent extent = kNoExtent;
  if (first < 0) extent = {curve.start, curve.start, curve.start};
  auto at = static_cast<std::size_t>(std::clamp(first, EventIndex{0}, last));
  const auto end = static_cast<std::size_t>(last) + 1;
  const auto walk = [&](std::size_t to) {
    std::uint64_t value = pyramid_at(curve, count, static_cast<EventIndex>(at) - 1, delta);
    for (; at < to; ++at) {
      value += delta(static_cast<EventIndex>(at));
      extent = joined(extent, {value, value, value});
    }
  };
  constexpr std::size_t kBlock = CurvePyramid::kBlock;
  walk(std::min(end, (at + kBlock - 1) / kBlock * kBlock));
  while (at + kBlock <= end) {
    std::size_t level = 0;
    std::size_t width = kBlock;
    while (level + 1 < curve.levels.size() && at % (width * CurvePyramid::kFan) == 0 &&
           at + width * CurvePyramid::kFan <= end) {
      width *= CurvePyramid::kFan;
      ++level;
    }
    extent = joined(extent, curve.levels[level][at / width]);
    at += width;
  }
  walk(end);
  return extent;
}

}  // namespace kino
