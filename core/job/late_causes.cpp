#include "core/job/late_causes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/job/step_work.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kMostHops = 512;
constexpr std::int64_t kLeastLateNs = 20'000;
constexpr std::size_t kMostCompared = 64;  // maximum number of ranks to compare; more change little

struct Member {
  std::int64_t start_ns = 0;  // common time
  RankKernel kernel;
};

class WayBack {
 public:
  WayBack(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
          const JobClocks& clocks, const JobWaits& waits, const std::stop_token& stop)
      : ranks_(ranks),
        kernels_(kernels),
        job_(job),
        clocks_(clocks),
        waits_(waits),
        least_ns_(std::max(3 * waits.tolerance_ns, kLeastLateNs)),
        work_(ranks, kernels, stop) {}

  LateCause from(std::uint32_t collective) const {
    const CollectiveWait& wait = waits_.collectives[collective];
    LateCause cause;
    cause.collective = collective;
    const Late first = late_to(collective);
    cause.late_ns = first.late_ns;
    cause.caused_ns = wait.waiting_ns;
    if (cause.late_ns < least_ns_) {
      cause.stop = LateStopReason::too_small;
      cause.root = wait.last;
      return cause;
    }
    if (is_message(first.last.kernel)) {
      of_message(first, wait, cause);
      return cause;
    }
    walk(collective, first, cause);
    if (cause.stop != LateStopReason::own && cause.stop != LateStopReason::recording_begins)
      give_to_longest_worker(first, cause);
    // No rank is responsible for lateness from a time in which some rank was not recording, nor for the
    // schedule.
    const bool handed_on =
        cause.stop == LateStopReason::recording_begins && has_stretch({cause.root, cause.root_kernel});
    if (cause.stop == LateStopReason::pipeline || handed_on) cause.caused_ns = 0;
    return cause;
  }

 private:
  struct Late {
    Member last;
    Member median;
    std::int64_t late_ns = 0;
  };

  /// Excess of one rank, added up over the collectives of the walk.
  struct Share {
    std::int64_t own_ns = 0;
    IntervalTimes excess{};
    std::int64_t overlapped_before_ns = 0;
    std::int64_t longest_ns = 0;
    std::uint32_t kernel = 0;  // kernel with the longest excess

    void add(const LateCause& cause) {
      own_ns += cause.own_ns;
      overlapped_before_ns += cause.overlapped_before_ns;
      for (std::size_t i = 0; i < excess.size(); ++i) excess[i] += cause.excess[i];
      if (cause.own_ns > longest_ns) {
        longest_ns = cause.own_ns;
        kernel = cause.root_kernel;
      }
    }
  };

  void walk(std::uint32_t collective, const Late& first, LateCause& cause) const {
    std::uint32_t at = collective;
    std::map<std::uint32_t, Share> shares;
    std::int64_t explained_ns = 0;
    while (cause.hops < kMostHops) {
      const std::optional<std::uint32_t> before = step(at, first, cause);
      if (!before && cause.stop == LateStopReason::own) return;
      shares[cause.root].add(cause);
      explained_ns += cause.own_ns;
      // After a collective of which both the late rank and the median rank are members, neither is behind the
      // other, so the lateness originates later.
      const bool all =
          10 * explained_ns >= 9 * first.late_ns || !before || has_member(*before, first.median.kernel.rank);
      if (all && give_to_largest(shares, cause)) return;
      if (!before) return;
      at = *before;
      ++cause.hops;
    }
  }

  /// Assigns the cause of waiting for a message. Most of this waiting is due to the schedule, so the rank is
  /// responsible only for its excess over ranks of its role.
  void of_message(const Late& first, const CollectiveWait& wait, LateCause& cause) const {
    const RankKernel last = first.last.kernel;
    cause.root = last.rank;
    cause.root_kernel = last.kernel;
    cause.stop = LateStopReason::pipeline;
    cause.caused_ns = 0;
    if (!has_stretch(last)) return;
    const std::optional<RankKernel> other = of_role(last);
    if (!other) return;
    compare(last, *other, cause);
    if (cause.own_ns < least_ns_) return;
    cause.stop = LateStopReason::own;
    cause.caused_ns = std::min(wait.waiting_ns, cause.own_ns);
  }

  /// A pipeline propagates lateness by messages, which the walk does not pass, and overlapping work may have
  /// no counterpart. The root is therefore the rank whose work exceeds that of its role the most, if this
  /// excess explains half of the lateness.
  void give_to_longest_worker(const Late& first, LateCause& cause) const {
    if (!work_.has_messages() && cause.stop != LateStopReason::nothing_to_compare) return;
    const WorkExcess* const most = work_.most(step_of(first.last.kernel));
    if (most == nullptr || most->own_ns < least_ns_ || 2 * most->own_ns < first.late_ns) return;
    const KernelColumns& columns = kernels_.ranks[most->rank];
    if (clocks_.common_ns(most->rank, columns.start_ns(most->kernel)) > first.last.start_ns) return;
    set_root(cause, most->rank, {most->own_ns, most->times, 0, 0, most->kernel});
  }

  /// Makes the rank with the largest sum the root: a slow GPU is late by many small amounts. Returns whether
  /// the sum explains half of the lateness.
  bool give_to_largest(const std::map<std::uint32_t, Share>& shares, LateCause& cause) const {
    const auto most =
        std::ranges::max_element(shares, {}, [](const auto& entry) { return entry.second.own_ns; });
    const Share& share = most->second;
    if (share.own_ns < least_ns_ || 2 * share.own_ns < cause.late_ns) return false;
    set_root(cause, most->first, share);
    return true;
  }

  static void set_root(LateCause& cause, std::uint32_t rank, const Share& share) {
    cause.root = rank;
    cause.root_kernel = share.kernel;
    cause.own_ns = share.own_ns;
    cause.excess = share.excess;
    cause.overlapped_before_ns = share.overlapped_before_ns;
    cause.part = largest_part(share.excess, share.overlapped_before_ns);
    cause.stop = LateStopReason::own;
  }

  static IntervalPart largest_part(IntervalTimes times, std::int64_t overlapped_before_ns) {
    times[static_cast<std::size_t>(IntervalPart::compute)] -= overlapped_before_ns;
    return static_cast<IntervalPart>(std::ranges::max_element(times) - times.begin());
  }

  bool has_member(std::uint32_t collective, std::uint32_t rank) const {
    const RankKernels members = job_.instances[waits_.collectives[collective].instance].kernels;
    return std::ranges::find(members, rank, &RankKernel::rank) != members.end();
  }

  bool is_message(RankKernel member) const { return kernels_.is_message(member.rank, member.kernel); }
  std::int64_t step_of(RankKernel member) const { return kernels_.ranks[member.rank].step(member.kernel); }
  TraceInterval stretch(RankKernel member) const { return ranks_[member.rank]->stretches[member.kernel]; }
  std::uint32_t kernel_before(RankKernel member) const {
    return ranks_[member.rank]->stretches.previous(member.kernel);
  }

  Late late_to(std::uint32_t collective) const {
    const RankKernels kernels = job_.instances[waits_.collectives[collective].instance].kernels;
    std::vector<Member> members;
    members.reserve(kernels.size());
    for (const RankKernel& member : kernels) {
      members.push_back(
          {clocks_.common_ns(member.rank, kernels_.ranks[member.rank].start_ns(member.kernel)), member});
    }
    // Sort equal arrivals by rank.
    const auto by_time = [](const Member& member) { return std::pair(member.start_ns, member.kernel.rank); };
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>((members.size() - 1) / 2);
    std::ranges::nth_element(members, middle, {}, by_time);
    const Member last = *std::ranges::max_element(middle, members.end(), {}, by_time);
    return {last, *middle, last.start_ns - middle->start_ns};
  }

  bool has_stretch(RankKernel member) const {
    return member.kernel < ranks_[member.rank]->stretches.size() &&
           kernel_before(member) != TraceInterval::kNone;
  }
  bool same(RankKernel a, RankKernel b) const {
    return signatures_equal(kernels_.signature_of(a.rank, a.kernel), kernels_.signature_of(b.rank, b.kernel));
  }
  bool same_before(RankKernel a, RankKernel b) const {
    return same({a.rank, kernel_before(a)}, {b.rank, kernel_before(b)});
  }
  bool is_like(RankKernel a, RankKernel b) const { return has_stretch(b) && same(a, b) && same_before(a, b); }

  /// Returns whether the step may have been cut by the start of the recording. If so, its kernels are counted
  /// from the end.
  bool cut(std::uint32_t rank, std::int64_t step) const {
    const std::vector<RankStep>& steps = ranks_[rank]->steps;
    return steps.empty() || step <= steps.front().number;
  }

  /// Returns the kernel whose interval has the median length; nullopt if `others` is empty.
  std::optional<RankKernel> median_of(std::vector<RankKernel>& others) const {
    if (others.empty()) return std::nullopt;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>((others.size() - 1) / 2);
    std::ranges::nth_element(others, middle, {}, [this](RankKernel member) {
      return ranks_[member.rank]->stretches.length_ns(member.kernel);
    });
    return *middle;
  }

  static std::size_t place_in(std::span<const std::uint32_t> kernels, std::uint32_t kernel) {
    return static_cast<std::size_t>(std::ranges::lower_bound(kernels, kernel) - kernels.begin());
  }

  /// Returns the kernel to compare a message with: the kernel with the median interval among those at the
  /// same index of the step on ranks of the same role. nullopt if there is none.
  std::optional<RankKernel> of_role(RankKernel last) const {
    const std::span<const std::uint32_t> role = work_.role_of(last.rank, step_of(last));
    if (role.size() < 2) return std::nullopt;
    const std::span<const std::uint32_t> own = work_.role_kernels_of(last.rank, step_of(last));
    const auto place = static_cast<std::size_t>(std::ranges::find(own, last.kernel) - own.begin());
    std::vector<RankKernel> others;
    for (std::size_t i = 0; i < role.size(); i += 1 + (role.size() - 1) / kMostCompared) {
      const std::span<const std::uint32_t> theirs = work_.role_kernels_of(role[i], step_of(last));
      if (role[i] == last.rank || place >= theirs.size()) continue;
      if (is_like(last, {role[i], theirs[place]})) others.push_back({role[i], theirs[place]});
    }
    return median_of(others);
  }

  /// Returns the kernel of another rank to compare with; nullopt if there is none.
  std::optional<RankKernel> like(const Late& late) const {
    const RankKernel last = late.last.kernel;
    if (has_stretch(late.median.kernel) && same_before(last, late.median.kernel)) return late.median.kernel;
    const std::int64_t number = step_of(last);
    const std::span<const std::uint32_t> own = work_.kernels_of(last.rank, number);
    const std::size_t place = place_in(own, last.kernel);
    const std::size_t from_end = own.size() - place;
    std::vector<RankKernel> others;
    for (std::size_t i = 0; i < ranks_.size(); i += 1 + (ranks_.size() - 1) / kMostCompared) {
      const auto r = static_cast<std::uint32_t>(i);
      const std::span<const std::uint32_t> theirs = work_.kernels_of(r, number);
      if (r == last.rank || theirs.empty() ||
          (cut(r, number) ? from_end > theirs.size() : place >= theirs.size()))
        continue;
      const RankKernel member{r, theirs[cut(r, number) ? theirs.size() - from_end : place]};
      if (is_like(last, member)) others.push_back(member);
    }
    return median_of(others);
  }

  void compare(RankKernel late, RankKernel like, LateCause& cause) const {
    const TraceInterval own = stretch(late);
    const TraceInterval other = stretch(like);
    cause.own_ns = own.length_ns - other.length_ns;
    for (std::size_t i = 0; i < own.times.size(); ++i) cause.excess[i] = own.times[i] - other.times[i];
    // Compute of the other rank that overlapped the previous collective is not excess: the late rank had no
    // time to overlap it.
    const std::int64_t compute_ns = cause.excess[static_cast<std::size_t>(IntervalPart::compute)];
    const std::int64_t overlapped_ns = other.overlapped_ns - own.overlapped_ns;
    cause.overlapped_before_ns =
        compute_ns > 0 && 2 * overlapped_ns >= compute_ns ? std::min(compute_ns, overlapped_ns) : 0;
    cause.overlapped_before_ns = std::max(cause.overlapped_before_ns, elsewhere_ns(late, compute_ns));
    cause.own_ns -= cause.overlapped_before_ns;
    cause.part = largest_part(cause.excess, cause.overlapped_before_ns);
  }

  /// Returns the part of `compute_ns` that is not excess over the whole step. Messages end when the other
  /// side arrives, so ranks may compute the same work at different places of a step.
  std::int64_t elsewhere_ns(RankKernel late, std::int64_t compute_ns) const {
    if (!work_.has_messages() || compute_ns <= 0) return 0;
    const std::optional<std::int64_t> in_step_ns = work_.compute_excess(late.rank, step_of(late));
    return in_step_ns ? compute_ns - std::clamp<std::int64_t>(*in_step_ns, 0, compute_ns) : 0;
  }

  /// Returns the collective to continue from. If nullopt, the walk ends, and `cause` has the reason.
  std::optional<std::uint32_t> step(std::uint32_t collective, const Late& first, LateCause& cause) const {
    const Late late = late_to(collective);
    const RankKernel last = late.last.kernel;
    const bool message = is_message(last);
    cause.root = last.rank;
    cause.root_kernel = last.kernel;
    cause.own_ns = 0;
    cause.excess = {};
    cause.overlapped_before_ns = 0;
    const auto stop = [&](LateStopReason why) -> std::optional<std::uint32_t> {
      cause.stop = why;
      return std::nullopt;
    };
    if (!has_stretch(last)) return stop(LateStopReason::recording_begins);
    const std::optional<RankKernel> other = message ? of_role(last) : like(late);
    if (!other) return stop(message ? LateStopReason::pipeline : LateStopReason::nothing_to_compare);
    compare(last, *other, cause);
    // After the first hop, an excess must be large enough to explain a quarter of the lateness.
    const std::int64_t least = cause.hops == 0 ? least_ns_ : std::max(least_ns_, first.late_ns / 4);
    const bool enough = cause.own_ns >= least;
    if (message) {
      return stop(enough && 2 * cause.own_ns >= first.late_ns ? LateStopReason::own
                                                              : LateStopReason::pipeline);
    }
    if (enough && cause.own_ns >= late.late_ns - cause.own_ns) return stop(LateStopReason::own);
    const std::uint32_t before = waits_.kernels[last.rank].collective(kernel_before(last));
    if (before == KernelWait::kUnmatched)
      return stop(enough ? LateStopReason::own : LateStopReason::peers_missing);
    if (before == collective) return stop(enough ? LateStopReason::own : LateStopReason::no_late_rank);
    // Some rank was not recording at the time of the previous collective.
    if (waits_.collectives[before].outside)
      return stop(enough ? LateStopReason::own : LateStopReason::recording_begins);
    if (waits_.collectives[before].last != CollectiveWait::kNoRank) return before;
    // No member was late to the previous collective. All members can still have been late together if the
    // reference rank is not among them.
    if (has_member(before, first.median.kernel.rank))
      return stop(enough ? LateStopReason::own : LateStopReason::no_late_rank);
    return before;
  }

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  const MatchedJob& job_;
  const JobClocks& clocks_;
  const JobWaits& waits_;
  std::int64_t least_ns_;
  StepWork work_;
};

/// A kernel for which a rank was late by its own work, as computed from one collective.
struct OwnLateness {
  std::uint32_t rank = 0;
  std::uint32_t kernel = 0;
  std::int64_t own_ns = 0;
};

/// Lateness of one rank in one step.
struct StepLateness {
  std::int64_t sum_ns = 0;   // sum over the kernels: the smallest excess computed for each
  std::int64_t most_ns = 0;  // largest excess that explained one collective
};

/// Splits the waiting of one collective in proportion to the positive parts of the root's excess. If the
/// excess explains only a share of the lateness, only this share of the waiting is added.
void add_waiting(const LateCause& cause, IntervalTimes& waited_ns) {
  IntervalTimes parts = cause.excess;
  parts[static_cast<std::size_t>(IntervalPart::compute)] -= cause.overlapped_before_ns;
  double all = 0;
  for (const std::int64_t part : parts) all += static_cast<double>(std::max<std::int64_t>(part, 0));
  if (all <= 0) return;
  // Waiting for a message is at most the excess of its root, so all of it is explained.
  const bool explained = cause.own_ns >= cause.late_ns || cause.caused_ns <= cause.own_ns;
  const double share = explained ? 1 : static_cast<double>(cause.own_ns) / static_cast<double>(cause.late_ns);
  const double factor = share * static_cast<double>(cause.caused_ns) / all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > 0) waited_ns[i] += std::llround(factor * static_cast<double>(parts[i]));
  }
}

void count_steps(const std::map<std::int64_t, StepLateness>& steps,
                 const std::map<std::int64_t, std::int64_t>& whole, StragglerStats& blame) {
  std::vector<std::int64_t> late;
  for (const auto& [number, lateness] : steps) {
    const auto found = whole.find(number);
    if (found == whole.end()) continue;
    const std::int64_t late_ns = std::max(lateness.sum_ns, lateness.most_ns);
    const auto least =
        static_cast<std::int64_t>(StragglerStats::kLeastShare * static_cast<double>(found->second));
    if (late_ns < std::max(kLeastLateNs, least)) continue;
    late.push_back(late_ns);
    if (late_ns <= blame.most_late_ns) continue;
    blame.most_late_ns = late_ns;
    blame.worst_step = number;
  }
  blame.steps = static_cast<std::uint32_t>(late.size());
  if (late.empty()) return;
  const auto middle = late.begin() + static_cast<std::ptrdiff_t>((late.size() - 1) / 2);
  std::ranges::nth_element(late, middle);
  blame.step_late_ns = *middle;
}

}  // namespace

msg::Id text_of(LateStopReason stop) {
  constexpr std::array kNames{msg::its_own_delay,           msg::before_the_first_collective,
                              msg::other_ranks_not_in_data, msg::no_earlier_delay,
                              msg::no_rank_to_compare_with, msg::the_pipelines_schedule,
                              msg::too_small_to_determine};
  return kNames[static_cast<std::size_t>(stop)];
}

std::optional<IntervalPart> StragglerStats::main_part() const {
  const auto most = std::ranges::max_element(own_ns);
  if (*most <= 0) return std::nullopt;
  return static_cast<IntervalPart>(most - own_ns.begin());
}

std::vector<LateCause> late_causes(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                   const MatchedJob& job, const JobClocks& clocks, const JobWaits& waits,
                                   const std::stop_token& stop) {
  const WayBack way(ranks, kernels, job, clocks, waits, stop);
  std::vector<std::uint32_t> named;
  for (std::uint32_t i = 0; i < waits.collectives.size(); ++i) {
    if (waits.collectives[i].last != CollectiveWait::kNoRank) named.push_back(i);
  }
  std::vector<LateCause> causes(named.size());
  constexpr std::size_t kPart = 256;
  parallel_for(thread_count_or_default(0), (named.size() + kPart - 1) / kPart, stop,
               [&](std::size_t part, unsigned) {
                 for (std::size_t i = part * kPart; i < std::min(named.size(), (part + 1) * kPart); ++i)
                   causes[i] = way.from(named[i]);
               });
  return stop.stop_requested() ? std::vector<LateCause>() : std::move(causes);
}

std::map<std::int64_t, std::int64_t> whole_steps_of(std::span<const RankDigest* const> ranks) {
  struct Seen {
    std::size_t ranks = 0;
    std::size_t last = 0;  // index of the last rank, plus 1
    std::int64_t longest_ns = 0;
  };
  std::map<std::int64_t, Seen> seen;
  std::size_t with_steps = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    with_steps += ranks[i]->steps.empty() ? 0 : 1;
    for (const RankStep& step : ranks[i]->steps) {
      if (step.number < 0) continue;
      Seen& step_seen = seen[step.number];
      if (step_seen.last != i + 1) ++step_seen.ranks;
      step_seen.last = i + 1;
      step_seen.longest_ns = std::max(step_seen.longest_ns, step.range.length_ns());
    }
  }
  std::map<std::int64_t, std::int64_t> whole;
  for (const auto& [number, step] : seen) {
    if (step.ranks == with_steps) whole[number] = step.longest_ns;
  }
  return whole;
}

std::vector<StragglerStats> straggler_stats(std::span<const LateCause> causes,
                                            std::span<const RankDigest* const> ranks) {
  std::vector<StragglerStats> blame(ranks.size());
  std::vector<OwnLateness> own;
  for (const LateCause& cause : causes) {
    if (cause.stop == LateStopReason::pipeline || cause.is_unrecorded()) continue;
    StragglerStats& rank = blame[cause.root];
    ++rank.collectives;
    rank.caused_ns += cause.caused_ns;
    rank.late_ns += cause.late_ns;
    if (cause.stop != LateStopReason::own) {
      rank.unknown_ns[static_cast<std::size_t>(cause.stop)] += cause.late_ns;
      rank.waited_unknown_ns[static_cast<std::size_t>(cause.stop)] += cause.caused_ns;
      const TraceIntervals& stretches = ranks[cause.root]->stretches;
      const bool first = cause.root_kernel < stretches.size() &&
                         stretches.previous(cause.root_kernel) == TraceInterval::kNone;
      if (first) rank.first_kernel_ns += cause.caused_ns;
      continue;
    }
    rank.own_ns[static_cast<std::size_t>(cause.part)] += cause.own_ns;
    add_waiting(cause, rank.waited_ns);
    own.push_back({cause.root, cause.root_kernel, cause.own_ns});
  }
  std::ranges::sort(own, {}, [](const OwnLateness& lateness) {
    return std::tuple(lateness.rank, lateness.kernel, lateness.own_ns);
  });
  const std::map<std::int64_t, std::int64_t> whole = whole_steps_of(ranks);
  for (std::size_t i = 0; i < own.size();) {
    const std::uint32_t rank = own[i].rank;
    std::map<std::int64_t, StepLateness> steps;
    for (const std::size_t first = i; i < own.size() && own[i].rank == rank; ++i) {
      StepLateness& step = steps[ranks[rank]->kernels.step(own[i].kernel)];
      if (i == first || own[i].kernel != own[i - 1].kernel) step.sum_ns += own[i].own_ns;
      step.most_ns = std::max(step.most_ns, own[i].own_ns);
    }
    count_steps(steps, whole, blame[rank]);
  }
  return blame;
}

}  // namespace kino
