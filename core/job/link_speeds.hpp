// Bandwidths of process groups and pairs of ranks, compared with those of similar groups and pairs.
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

/// Digests by index of the matched kernels' ranks.
using RankList = std::span<const std::shared_ptr<const RankDigest>>;

/// Size and bandwidths of one collective; -1 if unknown.
struct TransferSpeed {
  std::int64_t bytes = -1;  ///< size of the whole operation; see CollectiveFacts::bytes()
  double algorithm_gb_per_s = -1;
  double bus_gb_per_s = -1;  ///< algorithm bandwidth times nccl-tests' factor (doc/PERFORMANCE.md)
};

/// Returns the size and bandwidths of a collective. Bandwidths are unknown if the size is unknown, a member
/// is missing, or the transfer is shorter than `tolerance_ns`. O(members).
TransferSpeed transfer_speed(RankList digests, const MatchedJob& matched, const CollectiveWait& wait,
                             std::int64_t tolerance_ns);

/// Returns the bytes whose transfer determines the bus bandwidth of a kernel: the size of the whole operation
/// times the factor of nccl-tests. 0 if the size or the number of ranks is unknown.
double bus_bytes(const RankDigest& digest, const CommunicationKernel& kernel);

/// A median and its 95 % interval.
struct MedianSpeed {
  double gb_per_s = -1;
  double low = -1;
  double high = -1;
};

/// Transfers of one operation and size in a group or pair of ranks, compared with those of similar groups or
/// pairs.
struct LinkSpeed {
  std::uint32_t group = 0;          ///< index into MatchedJob::groups
  std::vector<std::int64_t> ranks;  ///< ranks of the job, ascending; for messages, source and target
  std::string operation;            ///< for example "reduce-scatter"
  std::int64_t bytes = 0;           ///< median size
  std::uint32_t transfers = 0;
  MedianSpeed own;           ///< bus bandwidth; for messages, bytes / transfer time
  std::uint32_t others = 0;  ///< number of similar groups or pairs; 0: nothing to compare with
  MedianSpeed of_others;     ///< medians over the others
  std::int64_t lost_ns = 0;  ///< transfer time minus the time at the others' speed; at least 0

  /// Returns whether the group is slower and the intervals differ by more than a factor of 1.5. If there is
  /// only one other group, the factor is 2.
  bool slow() const;
};
/// Returns "slow" or "like the others"; empty if there are no others.
msg::Id text_of(const LinkSpeed& link);

/// Returns one entry per group or pair, operation and class of sizes, sorted by group. An entry has at least
/// 6 transfers of 1 MiB or more with a known bandwidth. Rules: README. O(collectives log collectives).
std::vector<LinkSpeed> link_speeds(RankList digests, const MatchedJob& matched, const JobWaits& waits,
                                   const std::stop_token& stop = {});

}  // namespace kino
