// How fast process groups and pairs of ranks move data, and which of them are slow compared with their like.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/collective_matching.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/rank_waits.hpp"

namespace kino {

/// By index of the matched kernels' ranks.
using RankList = std::span<const std::shared_ptr<const RankDigest>>;

/// Size and bandwidths of one collective; -1 where unknown.
struct TransferSpeed {
  std::int64_t bytes = -1;  ///< RANKS 3: of the whole operation
  double algorithm_gb_per_s = -1;
  double bus_gb_per_s = -1;  ///< times nccl-tests' factor (doc/PERFORMANCE.md)
};

/// Without bandwidths where a member is missing, or where the transfer is shorter than the clocks are in
/// doubt. O(members).
TransferSpeed transfer_speed(RankList digests, const MatchedJob& matched, const CollectiveWait& wait,
                             std::int64_t tolerance_ns);

/// A median and its 95 % interval.
struct MedianSpeed {
  double gb_per_s = -1;
  double low = -1;
  double high = -1;
};

/// Transfers of a group or of a pair of ranks for one operation and size, compared with those of its like.
struct LinkSpeed {
  std::uint32_t group = 0;          ///< of MatchedJob::groups
  std::vector<std::int64_t> ranks;  ///< of the job, ascending; of messages source and target
  std::string operation;            ///< "reduce-scatter"
  std::int64_t bytes = 0;           ///< the median
  std::uint32_t transfers = 0;
  MedianSpeed own;           ///< bus bandwidth; of messages bytes over transfer
  std::uint32_t others = 0;  ///< groups or pairs of the same kind; 0: nothing to compare with
  MedianSpeed of_others;     ///< medians over them
  std::int64_t lost_ns = 0;  ///< time of its transfers beyond those at the others' speed; never below 0

  /// Beyond doubt: the intervals are a factor of 1.5 apart, of 2 where there is only one other.
  bool slow() const;
};
/// "slow", "like the others"; empty without others.
msg::Id text_of(const LinkSpeed& link);

/// All groups and pairs of the job with at least 6 transfers of one operation and size that have a bandwidth,
/// by group. Rules: README. Empty when stopped.
/// O(collectives log collectives).
std::vector<LinkSpeed> link_speeds(RankList digests, const MatchedJob& matched, const JobWaits& waits,
                                   const std::stop_token& stop = {});

}  // namespace kino
