// Waiting per step, with the ranks that caused it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Sums of one rank over the collectives that one step launched.
struct StepWaits {
  std::optional<std::int64_t> length_ns;  ///< duration of the step's CPU annotation; nullopt if there is none
  std::int64_t waiting_ns = 0;
  std::int64_t transfer_sum_ns = 0;
  std::int64_t caused_ns = 0;
  std::int64_t root_ns = 0;  ///< sum of LateCause::caused_ns of causes whose root is this rank
  std::uint32_t root_collective = KernelWait::kUnmatched;  ///< collective with the largest part of root_ns
  std::int64_t root_longest_ns = 0;                        ///< part of root_ns in root_collective
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;
  std::int64_t peak_bytes = -1;  ///< peak of JobAnalysis::memory() within the step; -1 if unknown
};

/// One step on all ranks.
struct JobStep {
  std::int64_t number = -1;      ///< number of the step; -1: launched outside of steps or before recording
  std::vector<StepWaits> ranks;  ///< by index of JobAnalysis::ranks

  /// Returns the index of the rank with the largest caused_ns; nullopt if no rank caused waiting.
  std::optional<std::uint32_t> straggler() const;
  /// Returns the index of the rank with the largest root_ns; nullopt if there is none.
  std::optional<std::uint32_t> root() const;
};

/// Durations of one step on its ranks.
struct StepLength {
  std::int64_t median_ns = 0;  ///< for an even number of ranks, the mean of the middle two
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
};

/// Returns the median, shortest and longest duration; nullopt if `lengths_ns` is empty. O(n log n).
std::optional<StepLength> step_length(std::vector<std::int64_t> lengths_ns);

/// Returns the steps sorted by number. O(kernels + steps log steps).
std::vector<JobStep> steps_of(const JobAnalysis& job);

}  // namespace kino
