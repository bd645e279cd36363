// Training steps that a profiler has marked (ProfilerStep#n): their times on CPU and GPU, and outliers.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

struct Step {
  std::int64_t number = 0;
  SliceId slice = kNoSlice;  ///< the annotation on the CPU
  TimeRange range;
  std::optional<TimeRange> gpu_range;  ///< from the first start of its GPU annotations to their last end
  bool outlier = false;                ///< whether the step is much longer than the others
};

/// Steps in order of start. A step is a CPU slice named "ProfilerStep#<number>". If a second slice with the
/// same number overlaps it, that slice is ignored (older writers record a step as operator and as
/// annotation). A GPU annotation belongs to the last step of its number that does not start after it. If all
/// start after it, it belongs to the first one. Annotations without a step of their number are ignored.
struct Steps {
  std::vector<Step> steps;
  std::int64_t median_ns = 0;  ///< median duration; the mean of two middle ones, rounded down
  std::int64_t mad_ns = 0;     ///< median absolute deviation from the median

  static constexpr double kOutlierRatio = 1.2;
  static constexpr int kOutlierDeviations = 3;
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Returns the last step that started at or before `time_ns` and has not ended; kNone between steps.
  /// O(steps) at worst.
  std::size_t at(std::int64_t time_ns) const;
  /// Returns the first step that starts after `time_ns`, or kNone. O(log steps).
  std::size_t next_after(std::int64_t time_ns) const;
};

/// Finds the steps of a trace. A step is an outlier if it is longer than kOutlierRatio medians, and longer
/// than the median plus kOutlierDeviations MAD. O(names + slices) if there are steps, otherwise O(names).
Steps find_steps(const Trace& trace, const std::stop_token& stop = {});

}  // namespace kino
