// Splits each collective's time on each rank into waiting for the last rank and transferring data.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/job/collective_matching.hpp"
#include "core/job/job_clocks.hpp"
#include "core/job/rank_digest.hpp"
#include "core/trace/packed/packed_table.hpp"

namespace kino {

/// One collective, in common time. Ranks without a recording are missing, so the waiting is a lower bound.
struct CollectiveWait {
  static constexpr std::uint32_t kNoRank = 0xffffffffU;

  std::uint32_t instance = 0;       ///< index into MatchedJob::instances
  std::uint32_t last = kNoRank;     ///< index of the digest that arrived last; kNoRank within the tolerance
  std::uint32_t latest = 0;         ///< the last one regardless of the tolerance
  std::int64_t arrival_gap_ns = 0;  ///< from the second last arrival to the last
  std::int64_t waiting_ns = 0;      ///< of all members for the last
  std::int64_t moving_ns = 0;       ///< the rest of all members' time
  std::int64_t transfer_ns = 0;     ///< from the last arrival to the last end
  std::int64_t shortest_ns = 0;     ///< least duration of a member
  std::int64_t end_spread_ns = 0;   ///< from the first end to the last
  bool outside = false;             ///< a member began outside of JobWaits::recorded, so no rank is named
};

/// Result for one kernel in its collective.
struct KernelWait {
  static constexpr std::uint32_t kUnmatched = 0xffffffffU;

  std::uint32_t collective =
      kUnmatched;               ///< index into JobWaits::collectives; kUnmatched: waiting is unknown
  std::int64_t waiting_ns = 0;  ///< part of its duration, from its start
};

/// Results of one rank, returned by value from a PackedTable. Immutable.
class KernelWaits {
 public:
  KernelWaits() = default;
  /// By index of RankDigest::kernels. O(n).
  explicit KernelWaits(std::span<const KernelWait> waits);

  std::size_t size() const { return table_.size(); }
  std::uint32_t collective(std::size_t i) const { return collective_of(table_.at(i, 0)); }
  KernelWait operator[](std::size_t i) const {
    const auto [number, waiting_ns] = table_.row<2>(i);
    return {collective_of(number), waiting_ns};
  }

 private:
  // Stored plus 1, so that kUnmatched is 0.
  static std::uint32_t collective_of(std::int64_t number) { return static_cast<std::uint32_t>(number) - 1; }

  PackedTable table_;  // collective, waiting
};

/// Sums of one rank over all of its collectives.
struct RankWaits {
  std::int64_t waiting_ns = 0;
  std::int64_t moving_ns = 0;
  std::int64_t caused_ns = 0;  ///< waiting of all others for it
  std::int64_t saved_ns = 0;   ///< waiting that its punctuality alone would have avoided
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;  ///< times it was last by more than the tolerance
};

struct JobWaits {
  std::vector<CollectiveWait> collectives;  ///< of groups that synchronize, in the order of the instances
  std::vector<RankWaits> ranks;             ///< by index of the digests
  std::vector<KernelWaits> kernels;         ///< by index of the digests
  std::int64_t tolerance_ns = 0;
  /// Common time in which all ranks with communication were recording; empty if there is none.
  TimeRange recorded;
  // Matched, but not in `collectives`.
  std::uint64_t rejected = 0;     ///< MatchLevel::rejected
  std::uint64_t not_waiting = 0;  ///< in groups whose members end before others begin
  // Sums of collectives outside of `recorded`. Those of `ranks` include them.
  std::uint64_t outside_collectives = 0;
  std::int64_t outside_waiting_ns = 0;
  std::int64_t outside_moving_ns = 0;

  std::int64_t waiting_ns() const;
  std::int64_t moving_ns() const;
  // Sums without collectives outside of `recorded`; a verdict uses these.
  std::int64_t recorded_waiting_ns() const { return waiting_ns() - outside_waiting_ns; }
  std::int64_t recorded_moving_ns() const { return moving_ns() - outside_moving_ns; }
};

/// RANKS 3. A kernel waits from its start to the last arrival, at most for its duration; the rest is
/// transfer. caused_ns and saved_ns are credited only to named ranks. No rank is named for a collective that
/// a member began while another rank was not recording: a late begin of a recording is not a late rank.
/// O(kernels).
JobWaits job_waits(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
                   const JobClocks& clocks, const std::stop_token& stop = {});

}  // namespace kino
