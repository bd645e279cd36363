// Waiting by step, with the ranks that caused it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// One rank in one step: the collectives that the step launched.
struct StepWaits {
  std::optional<std::int64_t> length_ns;  ///< of the step's annotation on the CPU; nullopt without one
  std::int64_t waiting_ns = 0;
  std::int64_t moving_ns = 0;
  std::int64_t caused_ns = 0;
  std::int64_t root_ns =
      0;  ///< waiting of others in collectives whose root cause is this rank (StragglerStats)
  std::uint32_t root_collective = KernelWait::kUnmatched;  ///< the one of these with the longest waiting
  std::int64_t root_longest_ns = 0;                        ///< its waiting
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;
  std::int64_t peak_bytes = -1;  ///< of JobAnalysis::memory() within the step; -1 if unknown
};

/// One step on all ranks.
struct JobStep {
  std::int64_t number = -1;      ///< -1: launched in no step, or before the recording
  std::vector<StepWaits> ranks;  ///< by index of JobAnalysis::ranks

  /// Returns the index of the rank that caused the most waiting; nullopt without waiting.
  std::optional<std::uint32_t> straggler() const;
  /// Returns the index of the rank that is the root cause of the most waiting.
  std::optional<std::uint32_t> root() const;
};

/// Duration of one step over its ranks.
struct StepLength {
  std::int64_t median_ns = 0;  ///< for an even number of ranks, the mean of the middle two
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
};

/// Returns nullopt if `lengths_ns` is empty. O(n log n).
std::optional<StepLength> step_length(std::vector<std::int64_t> lengths_ns);

/// Returns steps sorted by number (RANKS 3, sums by step). O(kernels + steps log steps).
std::vector<JobStep> steps_of(const JobAnalysis& job);

}  // namespace kino
