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

  std::uint32_t instance = 0;        ///< index into MatchedJob::instances
  std::uint32_t last = kNoRank;      ///< last digest to arrive; kNoRank if within the tolerance or `outside`
  std::uint32_t latest = 0;          ///< index of the digest that arrived last, regardless of the tolerance
  std::int64_t arrival_gap_ns = 0;   ///< from the second last arrival to the last
  std::int64_t waiting_ns = 0;       ///< sum of the members' waiting for the last arrival
  std::int64_t transfer_sum_ns = 0;  ///< sum of the members' durations, minus waiting_ns
  std::int64_t transfer_ns = 0;      ///< from the last arrival to the last end
  std::int64_t shortest_ns = 0;      ///< shortest duration of a member
  std::int64_t end_spread_ns = 0;    ///< from the first end to the last
  bool outside = false;              ///< a member started outside of JobWaits::recorded, so `last` is kNoRank
};

/// Result for one kernel in its collective.
struct KernelWait {
  static constexpr std::uint32_t kUnmatched = 0xffffffffU;

  std::uint32_t collective =
      kUnmatched;               ///< index into JobWaits::collectives; kUnmatched: waiting is unknown
  std::int64_t waiting_ns = 0;  ///< time from the kernel's start in which it waits for the last arrival
};

/// Results of one rank, returned by value from a PackedTable. Immutable.
class KernelWaits {
 public:
  KernelWaits() = default;
  /// `waits` are by index of RankDigest::kernels. O(n).
  explicit KernelWaits(std::span<const KernelWait> waits);

  std::size_t size() const { return table_.size(); }
  std::uint32_t collective(std::size_t i) const { return collective_of(table_.at(i, 0)); }
  KernelWait operator[](std::size_t i) const {
    const auto [number, waiting_ns] = table_.row<2>(i);
    return {collective_of(number), waiting_ns};
  }

 private:
  // The index is stored plus 1, so that kUnmatched is 0.
  static std::uint32_t collective_of(std::int64_t number) { return static_cast<std::uint32_t>(number) - 1; }

  PackedTable table_;  // collective, waiting
};

/// Sums of one rank over all of its collectives.
struct RankWaits {
  std::int64_t waiting_ns = 0;
  std::int64_t transfer_sum_ns = 0;
  std::int64_t caused_ns = 0;  ///< time that all other ranks waited for this rank
  std::int64_t saved_ns = 0;   ///< waiting that others would avoid if this rank arrived with the second last
  std::uint64_t collectives = 0;
  std::uint64_t times_last = 0;  ///< number of times it was last by more than the tolerance
};

struct JobWaits {
  std::vector<CollectiveWait> collectives;  ///< collectives of groups that synchronize, sorted by instance
  std::vector<RankWaits> ranks;             ///< by index of the digests
  std::vector<KernelWaits> kernels;         ///< by index of the digests
  std::int64_t tolerance_ns = 0;
  /// Common time in which all ranks with communication were recording; empty if there is none.
  TimeRange recorded;
  // Numbers of matched collectives that are not in `collectives`.
  std::uint64_t rejected = 0;     ///< MatchLevel::rejected
  std::uint64_t not_waiting = 0;  ///< collectives of groups whose members end before others start
  // Sums of collectives outside of `recorded`. The sums in `ranks` include them.
  std::uint64_t outside_collectives = 0;
  std::int64_t outside_waiting_ns = 0;
  std::int64_t outside_transfer_sum_ns = 0;

  std::int64_t waiting_ns() const;
  std::int64_t transfer_sum_ns() const;
  // Sums without collectives outside of `recorded`. A verdict uses these sums.
  std::int64_t recorded_waiting_ns() const { return waiting_ns() - outside_waiting_ns; }
  std::int64_t recorded_transfer_sum_ns() const { return transfer_sum_ns() - outside_transfer_sum_ns; }
};

/// Splits each kernel's duration: a kernel waits from its start to the last arrival, at most for its
/// duration, and transfers data during the rest. caused_ns and saved_ns are assigned only to
/// CollectiveWait::last. If a member started the collective while another rank was not recording, no rank is
/// last: a recording that starts late does not imply a late rank. O(kernels).
JobWaits job_waits(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
                   const JobClocks& clocks, const std::stop_token& stop = {});

}  // namespace kino
