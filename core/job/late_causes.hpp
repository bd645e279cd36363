// Root causes of late arrivals: the rank's own work, or an earlier wait.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/job/collective_matching.hpp"
#include "core/job/job_clocks.hpp"
#include "core/job/rank_digest.hpp"
#include "core/job/rank_waits.hpp"

namespace kino {

/// Reason for which the walk back from a late arrival ended.
enum class LateStopReason : std::uint8_t {
  own,                 ///< the rank itself took longer
  recording_begins,    ///< earlier events are not in the data
  peers_missing,       ///< the previous collective of the rank is unmatched
  no_late_rank,        ///< no rank was late to the previous collective
  nothing_to_compare,  ///< no other rank has a comparable kernel
  pipeline,            ///< a message that waits for the schedule; no rank caused it
  too_small,           ///< the lateness is below 20 us, or below three times JobWaits::tolerance_ns
};
inline constexpr int kLateStopReasonCount = static_cast<int>(LateStopReason::too_small) + 1;

/// Returns the text for a reason: "its own work", ...
msg::Id text_of(LateStopReason stop);

struct LateCause {
  std::uint32_t collective = 0;   ///< index into JobWaits::collectives
  std::int64_t late_ns = 0;       ///< lateness relative to the arrival of the median member
  std::uint32_t root = 0;         ///< index of the rank to which the lateness is attributed
  std::uint32_t root_kernel = 0;  ///< kernel for which the root was late; index into RankDigest::kernels
  std::uint32_t hops = 0;
  LateStopReason stop = LateStopReason::own;
  IntervalPart part = IntervalPart::compute;  ///< for LateStopReason::own: the part with the largest excess
  std::int64_t own_ns =
      0;  ///< excess of the root's intervals over those of compared ranks, minus overlapped_before_ns
  IntervalTimes excess{};                 ///< excess by part; the sum is own_ns + overlapped_before_ns
  std::int64_t overlapped_before_ns = 0;  ///< compute that the compared rank executed at another time
  std::int64_t caused_ns = 0;             ///< part of the collective's waiting that the root caused

  /// Returns whether the lateness originates from a time in which some rank was not recording. No rank caused
  /// it.
  bool is_unrecorded() const { return stop == LateStopReason::recording_begins && caused_ns == 0; }
};

/// Sums over the collectives whose root is this rank, except those whose lateness no rank caused.
struct StragglerStats {
  std::uint64_t collectives = 0;
  std::int64_t caused_ns = 0;  ///< sum of LateCause::caused_ns
  std::int64_t late_ns = 0;
  IntervalTimes own_ns{};  ///< sums of LateCause::own_ns by LateCause::part
  /// Lateness of unknown cause by LateStopReason.
  std::array<std::int64_t, kLateStopReasonCount> unknown_ns{};
  // Parts of caused_ns; the rest is unexplained. Each wait is split in proportion to the parts of the root's
  // excess.
  IntervalTimes waited_ns{};
  std::array<std::int64_t, kLateStopReasonCount>
      waited_unknown_ns{};  ///< waiting of unknown cause by LateStopReason
  /// Part of caused_ns that is waiting for the first kernel of the rank's recording.
  std::int64_t first_kernel_ns = 0;
  // The rank's own lateness per whole step: the sum of LateCause::own_ns, in which each root kernel counts
  // once with its smallest value. If a single cause has a larger own_ns than this sum, that value counts.
  std::uint32_t steps = 0;        ///< steps in which it was late by 20 us and kLeastShare of the step or more
  std::int64_t step_late_ns = 0;  ///< median lateness of these steps
  std::int64_t most_late_ns = 0;  ///< largest lateness of these steps
  std::int64_t worst_step = -1;   ///< number of the step with the largest lateness

  static constexpr double kLeastShare = 0.01;

  /// Returns the part with the largest own lateness; nullopt if no part is known.
  std::optional<IntervalPart> main_part() const;
};

/// Walks back from each late arrival to its root cause. Rules: README, Late ranks. The walk also passes
/// through collectives without a straggler if the reference rank is not a member: the ranks of one replica
/// can be late as a group. Returns one cause per collective with CollectiveWait::last, in the order of the
/// collectives. For a message, the root is responsible only for its own excess. O(kernels + late collectives
/// * hops).
std::vector<LateCause> late_causes(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                   const MatchedJob& job, const JobClocks& clocks, const JobWaits& waits,
                                   const std::stop_token& stop = {});

/// Returns the steps that all ranks with steps have, and the duration of each on the slowest rank. O(steps).
std::map<std::int64_t, std::int64_t> whole_steps_of(std::span<const RankDigest* const> ranks);

/// Returns the sums of each rank, by index of the digests. O(causes log causes + steps).
std::vector<StragglerStats> straggler_stats(std::span<const LateCause> causes,
                                            std::span<const RankDigest* const> ranks);

}  // namespace kino
