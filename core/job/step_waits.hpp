// Waiting by step: who made the others wait in each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Of one rank in one step: its collectives that the step launched.
struct StepWaits {
  std::optional<std::int64_t> length_ns;  ///< of the step's annotation on the CPU; nothing: it has none
  std::int64_t waiting_ns = 0;
  std::int64_t moving_ns = 0;
  std::int64_t caused_ns = 0;
  std::int64_t root_ns = 0;  ///< what others waited in collectives whose lateness goes back to it (RankBlame)
  std::uint32_t root_collective = KernelWait::kAlone;  ///< the one of these that others waited longest in
  std::int64_t root_longest_ns = 0;                    ///< and how long
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;
  std::int64_t peak_bytes = -1;  ///< of JobAnalysis::memory() within the step; -1 if unknown
};

/// Of all ranks.
struct JobStep {
  std::int64_t number = -1;      ///< -1: launched in no step, or before the recording
  std::vector<StepWaits> ranks;  ///< by index of JobAnalysis::ranks

  /// Index of the rank that caused the most waiting; nobody where there was none.
  std::optional<std::uint32_t> culprit() const;
  /// The same of the rank that most of the waiting goes back to.
  std::optional<std::uint32_t> root() const;
};

/// How long one step took its ranks.
struct StepLength {
  std::int64_t median_ns = 0;  ///< for an even number of ranks, the mean of the middle two
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
};

/// Nothing without lengths. O(n log n).
std::optional<StepLength> step_length(std::vector<std::int64_t> lengths_ns);

/// By number; RANKS 3, sums by step. O(kernels + steps log steps).
std::vector<JobStep> steps_of(const JobAnalysis& job);

}  // namespace kino
