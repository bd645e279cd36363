// Statistics of iterations with the same phase, batch size and way of launching.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/tables/serving/iteration.hpp"

namespace kino {

/// Lengths of windows or intervals in ns. Percentiles are nearest ranks. All 0 for an empty list.
struct WindowStats {
  std::size_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t max_ns = 0;
};
/// Sorts `lengths`. O(n log n).
WindowStats window_stats(std::vector<std::int64_t> lengths);

enum class SteadyState : std::uint8_t {
  reached,
  too_few,  ///< fewer than IterationGroup::kLeastForWarmUp iterations: no warm-up is looked for
  missing,  ///< not reached by the middle of the group, so nothing was left out
};

struct IterationGroup {
  static constexpr std::size_t kLeastForWarmUp = 8;

  IterationPhase phase = IterationPhase::unknown;
  std::int64_t batch = 0;  ///< requests, rounded up to a power of two; 0 if unknown
  LaunchedBy launched_by = LaunchedBy::unknown;
  std::size_t iterations = 0;   ///< without cut ones and those that prepare code
  std::size_t steady_from = 0;  ///< number of its iterations that are left out as warm-up
  SteadyState steady = SteadyState::reached;
  WindowStats windows;         ///< of the iterations that are not left out
  IterationTimes times;        ///< of the same iterations, as are the members below
  std::int64_t generated = 0;  ///< one token per generating request: with speculation a lower bound
  std::int64_t prefilled = 0;  ///< tokens in prefill

  /// Tokens per second of their windows, rounded down; 0 for empty windows.
  std::int64_t generated_per_s() const;
  std::int64_t prefilled_per_s() const;
};

/// Returns the batch size that names the group of these requests: the next power of two; 0 for 0 or less.
std::int64_t batch_of_group(std::int64_t requests);

/// Returns the groups, the longest sum of windows first, and leaves warm-up out (LeftOut::warm_up). Let m be
/// the median of the later half of a group, and the tolerance the greater of 5 % and 3 * 1.4826 median
/// absolute deviations. The group is steady from the first three in a row that are at most m + tolerance.
/// With `keep_all`, nothing is left out, and iterations that were left out before count as well. O(n log n).
std::vector<IterationGroup> group_iterations(std::vector<Iteration>& list, bool keep_all);

/// A time in which generating requests wait.
struct Stall {
  std::size_t iteration = 0;  ///< index into Iterations::list
  std::int64_t ns = 0;
};

/// Returns the stalls in order. A prefill between two generating iterations stalls generation for its window.
/// A mixed iteration does so by the time that it exceeds the median of decode and verify windows. Iterations
/// that were left out are no stalls. O(n log n).
std::vector<Stall> find_stalls(std::span<const Iteration> list);

/// Returns the statistics of the time from the start of each generating iteration to that of the next one.
/// Iterations that were left out count. O(n log n).
WindowStats time_between_tokens(std::span<const Iteration> list);

}  // namespace kino
