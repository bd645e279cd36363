// Counts ranks that end a collective before another rank has started it, and bounds the error of each clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/job_clocks.hpp"

namespace kino {

/// Range of possible changes of a rank's clock offset; the limits of int64 if nothing bounds it.
struct OffsetBounds {
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  std::int64_t least_ns = kLeast;
  std::int64_t most_ns = kMost;

  void add(const OffsetBounds& other) {
    least_ns = std::max(least_ns, other.least_ns);
    most_ns = std::min(most_ns, other.most_ns);
  }
};

struct ClockCausality {
  struct Counts {
    std::uint64_t checked = 0;
    std::uint64_t violated = 0;  ///< members that ended more than 20 us before another member started
  };

  CausalityCheck all;
  std::vector<Counts> groups;       ///< by group of the job
  std::vector<OffsetBounds> rooms;  ///< by rank: how far its offset may still change; see RankClock

  void add(const ClockCausality& other);
};

/// Returns whether the ends of a collective constrain the clocks: its match was not rejected, and its
/// operation and its group synchronize (JobClocks::synchronizing).
bool constrains_clocks(const CollectiveInstance& instance, const JobKernels& kernels,
                       const JobClocks& clocks);

/// Checks the collectives that constrain the clocks. `corrections`: fitted clocks, by rank; if empty, the
/// recorded times are used. `clocks`: only `middle_ns` and `synchronizing` are used. O(kernels).
ClockCausality check_causality(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                               const MatchedJob& job, const JobClocks& clocks,
                               std::span<const RankClock> corrections, const std::stop_token& stop);

}  // namespace kino
