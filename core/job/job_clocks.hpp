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
  double error_ns = 0;  ///< error of the offset relative to the component's median, from the spread of ends
  std::uint32_t component = 0;  ///< index; no collective connects ranks of different components
  /// Bounds of a change of offset_ns, not of offset_ns itself. Beyond a bound, one rank would end a
  /// collective before another rank has started it. The bounds cover all pairs of ranks of all collectives.
  /// nullopt if no collective sets a bound.
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
  /// By group of the job: 0 if more than 2 % of its ends are more than 20 us before another member starts.
  std::vector<std::uint8_t> synchronizing;
  CausalityCheck raw;
  CausalityCheck fitted;

  /// Converts a time of the rank's own clock to the common clock, rounded to ns.
  std::int64_t common_ns(std::uint32_t rank, std::int64_t own_ns) const;
  /// Returns whether collectives connect the rank's clock with that of another rank. If not, its offset and
  /// error are unknown. O(ranks).
  bool joined(std::size_t rank) const;
  /// Returns the largest difference between the offsets of two ranks that collectives connect; 0 if there are
  /// none. O(ranks).
  double max_deviation_ns() const;
  /// Returns the smallest difference of two times that counts as certain: 5 us or twice the largest error,
  /// whichever is larger.
  std::int64_t tolerance_ns() const;
};

/// Returns whether no member of such an operation can end before all have started; false if unknown.
bool synchronizes(CollectiveKind kind);

/// Fits the clocks by robust least squares over pairs of ranks. Rules: README. The median offset of each
/// component is 0. O(kernels * 4 + sweeps * pairs).
JobClocks fit_clocks(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                     const MatchedJob& job, const std::stop_token& stop = {});

}  // namespace kino
