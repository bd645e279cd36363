// Who made the others wait: each collective's time on each rank as waiting for the last one and moving data.
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

/// Of one collective, in common time. Times of a rank that is not in the data are missing: what others waited
/// is then a lower bound.
struct CollectiveWait {
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  std::uint32_t instance = 0;      ///< of MatchedJob::instances
  std::uint32_t last = kNobody;    ///< index of the digest that came last; nobody within the tolerance
  std::uint32_t latest = 0;        ///< the same, however close
  std::int64_t lead_ns = 0;        ///< how much later than the second last
  std::int64_t waiting_ns = 0;     ///< of all members for the last
  std::int64_t moving_ns = 0;      ///< the rest of all members' time
  std::int64_t transfer_ns = 0;    ///< from the last arrival to the last end
  std::int64_t shortest_ns = 0;    ///< least duration of a member
  std::int64_t end_spread_ns = 0;  ///< between the first and the last end
  bool outside = false;            ///< a member began outside of JobWaits::recorded, so nobody is named
};

/// What a kernel was in its collective.
struct KernelWait {
  static constexpr std::uint32_t kAlone = 0xffffffffU;

  std::uint32_t collective = kAlone;  ///< of JobWaits::collectives; kAlone: in none whose waiting is known
  std::int64_t waiting_ns = 0;        ///< of its time, from its start on
};

/// Those of one rank by value, in a PackedTable. Immutable.
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
  // kAlone is the one before 0.
  static std::uint32_t collective_of(std::int64_t number) { return static_cast<std::uint32_t>(number) - 1; }

  PackedTable table_;  // collective, waiting
};

/// Of one rank over all of its collectives.
struct RankWaits {
  std::int64_t waiting_ns = 0;
  std::int64_t moving_ns = 0;
  std::int64_t caused_ns = 0;  ///< what all others waited for it
  std::int64_t saved_ns = 0;   ///< what its punctuality alone would have saved them
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;  ///< beyond the tolerance
};

struct JobWaits {
  std::vector<CollectiveWait> collectives;  ///< of the groups that synchronise, in the order of the instances
  std::vector<RankWaits> ranks;             ///< by index of the digests
  std::vector<KernelWaits> kernels;         ///< by index of the digests
  std::int64_t tolerance_ns = 0;
  /// Common time in which all ranks that communicate were recording; empty if there is none.
  TimeRange recorded;
  // Matched, but not in `collectives`.
  std::uint64_t rejected = 0;     ///< MatchLevel::rejected
  std::uint64_t not_waiting = 0;  ///< of groups in which members end before others begin
  // Sums of the collectives outside of it, which are contained in those of the ranks.
  std::uint64_t outside_collectives = 0;
  std::int64_t outside_waiting_ns = 0;
  std::int64_t outside_moving_ns = 0;

  std::int64_t waiting_ns() const;
  std::int64_t moving_ns() const;
  // The same sums without the collectives outside of `recorded`: the basis of a verdict.
  std::int64_t recorded_waiting_ns() const { return waiting_ns() - outside_waiting_ns; }
  std::int64_t recorded_moving_ns() const { return moving_ns() - outside_moving_ns; }
};

/// RANKS 3. A kernel waits from its start to the last arrival, at most all of its time; the rest of it moves
/// data. Sums are credited to a rank only where it is named. Nobody is named for a collective that a member
/// began while another rank was not recording yet, or not any more: a recording that starts late is not a
/// rank that is late. The result is unspecified if stopped. O(kernels).
JobWaits job_waits(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
                   const JobClocks& clocks, const std::stop_token& stop = {});

}  // namespace kino
