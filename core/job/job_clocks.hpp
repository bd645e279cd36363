// Fits the clocks of a job's ranks to each other by the ends of their collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/collective_matching.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// At the common time t, the rank's own clock shows t + offset + drift * (t - JobClocks::middle_ns).
struct RankClock {
  double offset_ns = 0;
  double drift_ppb = 0;
  double error_ns = 0;  ///< error of the offset from the component's median, by the spread of the ends
  std::uint32_t component = 0;  ///< index; ranks of different components have no collective in common
  /// Bounds of the offset: beyond a bound, one rank would end a collective before another rank has started
  /// it. They cover all pairs of ranks of all collectives. nullopt where no collective sets a bound.
  std::optional<std::int64_t> least_ns;
  std::optional<std::int64_t> most_ns;
};

/// Counts members that ended a collective before another member had started it, which is impossible.
struct CausalityCheck {
  std::uint64_t checked = 0;
  std::uint64_t violated = 0;
  std::int64_t worst_ns = 0;
};

struct JobClocks {
  std::vector<RankClock> ranks;  ///< by index of the digests
  std::int64_t middle_ns = 0;    ///< Unix time at which the drift term is 0
  std::uint32_t components = 0;
  /// Whether no member of a group ends before all have started, by group of the job.
  std::vector<std::uint8_t> synchronizing;
  CausalityCheck raw;
  CausalityCheck fitted;

  /// Converts a time of the rank's own clock; rounded to ns.
  std::int64_t common_ns(std::uint32_t rank, std::int64_t own_ns) const;
  /// Returns whether collectives connect the rank's clock with that of another rank. If not, its offset and
  /// error are unknown. O(ranks).
  bool joined(std::size_t rank) const;
  /// Returns the largest difference between the offsets of two ranks that collectives connect; 0 if there are
  /// none. O(ranks).
  double max_deviation_ns() const;
  /// Returns the smallest certain difference of two times: 5 us, or twice the largest error.
  std::int64_t tolerance_ns() const;
};

/// Returns whether no member of such an operation can end before all have started.
bool synchronizes(CollectiveKind kind);

/// Fits the clocks by robust least squares over pairs of ranks (RANKS 2; rules: README). The median offset of
/// each component is 0. O(kernels * 4 + sweeps * pairs).
JobClocks fit_clocks(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                     const MatchedJob& job, const std::stop_token& stop = {});

}  // namespace kino
