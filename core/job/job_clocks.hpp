// The clocks of a job's ranks laid over each other by the ends of their collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/collective_matching.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {

/// The rank's own clock shows t + offset + drift * (t - JobClocks::middle_ns) at the common time t.
struct RankClock {
  double offset_ns = 0;
  double drift_ppb = 0;
  double error_ns = 0;  ///< the true offset from the component's median is within it, as far as the ends tell
  std::uint32_t component = 0;  ///< ranks of different ones were never joined by a collective
  /// How far the offset could be moved before a rank ended before another one began, over all pairs of ranks
  /// of all collectives; nothing where no collective bounds it to that side.
  std::optional<std::int64_t> least_ns;
  std::optional<std::int64_t> most_ns;
};

/// Members that ended before another of the same collective had begun, which cannot be.
struct CausalityCheck {
  std::uint64_t checked = 0;
  std::uint64_t violated = 0;
  std::int64_t worst_ns = 0;
};

struct JobClocks {
  std::vector<RankClock> ranks;  ///< by index of the digests
  std::int64_t middle_ns = 0;    ///< Unix time around which drifts turn
  std::uint32_t components = 0;
  /// Whether nobody ends before all have begun, by group of the job.
  std::vector<std::uint8_t> synchronising;
  CausalityCheck raw;
  CausalityCheck fitted;

  /// From a rank's own clock; whole ns.
  std::int64_t common_ns(std::uint32_t rank, std::int64_t own_ns) const;
  /// Whether a collective joins the rank's clock with another one; else its offset and error are unknown.
  /// O(ranks).
  bool joined(std::size_t rank) const;
  /// Returns the largest difference between the offsets of two ranks that collectives join; 0 if none are.
  /// O(ranks).
  double most_apart_ns() const;
  /// What is certain of a difference of two times: 5 us, or twice the largest error.
  std::int64_t tolerance_ns() const;
};

/// Whether nobody may end before all have begun, by what the operation is.
bool synchronises(CollectiveKind kind);

/// Robust least squares over pairs of ranks (RANKS 2; the README has the rules). The ranks of a component
/// have a median offset of 0. Of no use when stopped. O(kernels * 4 + sweeps * pairs).
JobClocks fit_clocks(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                     const MatchedJob& job, const std::stop_token& stop = {});

}  // namespace kino
