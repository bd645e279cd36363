// Why the last one of a collective was late: its own doing, or what it had waited for before.
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

/// Where the way back from a late arrival ended.
enum class LateStop : std::uint8_t {
  own,                 ///< at a rank that took longer itself
  recording_begins,    ///< what it did before is not in the data
  peers_missing,       ///< the collective before was matched with nobody
  nobody_late,         ///< the collective before kept nobody waiting
  nothing_to_compare,  ///< no other rank did the like
  pipeline,            ///< a message: it waits for the schedule, which is nobody's fault
  too_small,           ///< a lateness that is lost in the doubt
};
inline constexpr int kLateStopCount = static_cast<int>(LateStop::too_small) + 1;

/// "its own doing", ...
msg::Id text_of(LateStop stop);

struct LateCause {
  std::uint32_t collective = 0;   ///< of JobWaits::collectives; its last is named
  std::int64_t late_ns = 0;       ///< behind the member that is median in arrival
  std::uint32_t root = 0;         ///< index of the rank where the way ended
  std::uint32_t root_kernel = 0;  ///< that it was late to
  std::uint32_t hops = 0;
  LateStop stop = LateStop::own;
  StretchPart part = StretchPart::compute;  ///< of LateStop::own: what took most of the excess
  std::int64_t own_ns = 0;     ///< by which its stretch was longer than that of its like, but for ahead_ns
  StretchTimes excess{};       ///< by part; their sum is own_ns and ahead_ns
  std::int64_t ahead_ns = 0;   ///< of compute: what its like did beside the one before, or elsewhere
  std::int64_t caused_ns = 0;  ///< what others waited that goes back to the root; the rest is the schedule's

  /// Whether the lateness comes from a time in which some rank was not recording, and is nobody's.
  bool is_unrecorded() const { return stop == LateStop::recording_begins && caused_ns == 0; }
};

/// Of one rank over the collectives that go back to it.
struct RankBlame {
  std::uint64_t collectives = 0;
  std::int64_t caused_ns = 0;  ///< what all others waited in them
  std::int64_t late_ns = 0;
  StretchTimes own_ns{};  ///< excess by what took most of it
  /// Lateness whose cause is not known, by LateStop.
  std::array<std::int64_t, kLateStopCount> unknown_ns{};
  // Parts of caused_ns; the rest is not explained. A wait is split in proportion to the parts of the root's
  // excess.
  StretchTimes waited_ns{};
  std::array<std::int64_t, kLateStopCount> waited_unknown_ns{};  ///< by LateStop, where no cause is known
  /// Part of caused_ns: waiting for the first kernel of the rank's recording.
  std::int64_t first_kernel_ns = 0;
  // Its own lateness by whole steps: each kernel that it was late to counts once, or what one collective's
  // lateness was explained with where that is more.
  std::uint32_t steps = 0;        ///< in which it was at least kLeastShare of their length
  std::int64_t step_late_ns = 0;  ///< in the median one of these
  std::int64_t most_late_ns = 0;  ///< in the worst of these
  std::int64_t worst_step = -1;   ///< the number of that

  static constexpr double kLeastShare = 0.01;

  /// Returns the largest part of its own lateness; nullopt if no part is known.
  std::optional<StretchPart> main_part() const;
};

/// RANKS 4. The way also goes on through collectives to which nobody was late, as long as the rank that the
/// last one is compared with is no member: the ranks of one replica are late to the others together. Of every
/// collective whose last is named, in their order; of messages with what the late one's own excess explains.
/// O(kernels + late collectives * way).
std::vector<LateCause> late_causes(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                   const MatchedJob& job, const JobClocks& clocks, const JobWaits& waits,
                                   const std::stop_token& stop = {});

/// Those that each rank with steps has, by number, and how long they took the slowest of them. O(steps).
std::map<std::int64_t, std::int64_t> whole_steps_of(std::span<const RankDigest* const> ranks);

/// By index of the digests. O(causes log causes + steps).
std::vector<RankBlame> blame_of(std::span<const LateCause> causes, std::span<const RankDigest* const> ranks);

}  // namespace kino
