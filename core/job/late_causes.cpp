#include "core/job/late_causes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace kino {
namespace {

constexpr std::uint32_t kMostHops = 512;
constexpr std::int64_t kLeastLateNs = 20'000;

struct Member {
  std::int64_t start_ns = 0;  // common time
  RankKernel kernel;
};

class WayBack {
 public:
  WayBack(std::span<const RankDigest* const> ranks, const MatchedJob& job, const JobClocks& clocks,
          const JobWaits& waits)
      : ranks_(ranks),
        job_(job),
        clocks_(clocks),
        waits_(waits),
        least_ns_(std::max(3 * waits.tolerance_ns, kLeastLateNs)) {
    for (const RankDigest* const rank : ranks) {
      std::vector<std::uint32_t>& order = order_.emplace_back(rank->kernels.size());
      std::iota(order.begin(), order.end(), 0U);
      std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return rank->kernels[k].step; });
    }
  }

  LateCause from(std::uint32_t collective) const {
    LateCause cause;
    cause.collective = collective;
    const Late first = late_to(collective);
    cause.late_ns = first.late_ns;
    if (cause.late_ns < least_ns_) {
      cause.stop = LateStop::too_small;
      cause.root = waits_.collectives[collective].last;
      return cause;
    }
    std::uint32_t at = collective;
    std::map<std::uint32_t, Share> shares;
    std::int64_t explained_ns = 0;
    while (cause.hops < kMostHops) {
      const std::optional<std::uint32_t> before = step(at, first, cause);
      if (!before && cause.stop == LateStop::own) return cause;
      shares[cause.root].add(cause);
      explained_ns += cause.own_ns;
      // After a collective of both neither is behind the other: what is to be explained happened since.
      const bool all =
          10 * explained_ns >= 9 * first.late_ns || !before || has_member(*before, first.median.kernel.rank);
      if (all && give_to_largest(shares, cause)) return cause;
      if (!before) break;
      at = *before;
      ++cause.hops;
    }
    return cause;
  }

 private:
  struct Late {
    Member last;
    Member median;
    std::int64_t late_ns = 0;
  };

  /// Excess of one rank over several collectives of the way.
  struct Share {
    std::int64_t own_ns = 0;
    StretchTimes excess{};
    std::int64_t longest_ns = 0;
    std::uint32_t kernel = 0;  // with that

    void add(const LateCause& cause) {
      own_ns += cause.own_ns;
      for (std::size_t i = 0; i < excess.size(); ++i) excess[i] += cause.excess[i];
      if (cause.own_ns > longest_ns) {
        longest_ns = cause.own_ns;
        kernel = cause.root_kernel;
      }
    }
  };

  /// Little by little is as late as at once: a slow GPU. Whether it explains half of the lateness.
  bool give_to_largest(const std::map<std::uint32_t, Share>& shares, LateCause& cause) const {
    const auto most = std::ranges::max_element(shares, {}, [](const auto& it) { return it.second.own_ns; });
    const Share& share = most->second;
    if (share.own_ns < least_ns_ || 2 * share.own_ns < cause.late_ns) return false;
    cause.root = most->first;
    cause.root_kernel = share.kernel;
    cause.own_ns = share.own_ns;
    cause.excess = share.excess;
    cause.part = static_cast<StretchPart>(std::ranges::max_element(share.excess) - share.excess.begin());
    cause.stop = LateStop::own;
    return true;
  }

  bool has_member(std::uint32_t collective, std::uint32_t rank) const {
    const std::vector<RankKernel>& members = job_.instances[waits_.collectives[collective].instance].kernels;
    return std::ranges::find(members, rank, &RankKernel::rank) != members.end();
  }

  const CommunicationKernel& kernel(RankKernel it) const { return ranks_[it.rank]->kernels[it.kernel]; }
  const Stretch& stretch(RankKernel it) const { return ranks_[it.rank]->stretches[it.kernel]; }

  Late late_to(std::uint32_t collective) const {
    std::vector<Member> members;
    for (const RankKernel& it : job_.instances[waits_.collectives[collective].instance].kernels)
      members.push_back({clocks_.common_ns(it.rank, kernel(it).start_ns), it});
    std::ranges::stable_sort(members, {}, &Member::start_ns);
    const Member& median = members[(members.size() - 1) / 2];
    return {members.back(), median, members.back().start_ns - median.start_ns};
  }

  auto signature(RankKernel it) const {
    const CommunicationKernel& own = kernel(it);
    const StringTable& texts = ranks_[it.rank]->texts;
    return std::tuple(std::string_view(texts[own.family]), own.in_elements, own.out_elements,
                      std::string_view(texts[own.dtype]));
  }
  bool has_stretch(RankKernel it) const {
    return it.kernel < ranks_[it.rank]->stretches.size() && stretch(it).previous != Stretch::kNone;
  }
  bool same_before(RankKernel a, RankKernel b) const {
    return signature({a.rank, stretch(a).previous}) == signature({b.rank, stretch(b).previous});
  }

  /// Kernels of the step in order, as indices into `order_`.
  std::span<const std::uint32_t> of_step(std::uint32_t rank, std::int64_t step) const {
    const auto step_of = [&](std::uint32_t k) { return ranks_[rank]->kernels[k].step; };
    const auto begin = std::ranges::lower_bound(order_[rank], step, {}, step_of);
    return {begin, std::ranges::upper_bound(begin, order_[rank].end(), step, {}, step_of)};
  }
  /// A step that the recording may have cut at its begin: its kernels are counted from the end.
  bool cut(std::uint32_t rank, std::int64_t step) const {
    const std::vector<RankStep>& steps = ranks_[rank]->steps;
    return steps.empty() || step <= steps.front().number;
  }

  /// The stretch to compare with; null: there is none.
  const Stretch* like(const Late& late) const {
    const RankKernel last = late.last.kernel;
    if (has_stretch(late.median.kernel) && same_before(last, late.median.kernel))
      return &stretch(late.median.kernel);
    const std::int64_t number = kernel(last).step;
    const std::span<const std::uint32_t> own = of_step(last.rank, number);
    const auto place = static_cast<std::size_t>(std::ranges::find(own, last.kernel) - own.begin());
    std::vector<const Stretch*> others;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const std::span<const std::uint32_t> theirs = of_step(r, number);
      const std::size_t from_end = own.size() - place;
      if (r == last.rank || theirs.empty() ||
          (cut(r, number) ? from_end > theirs.size() : place >= theirs.size()))
        continue;
      const RankKernel it{r, theirs[cut(r, number) ? theirs.size() - from_end : place]};
      if (has_stretch(it) && signature(it) == signature(last) && same_before(last, it))
        others.push_back(&stretch(it));
    }
    if (others.empty()) return nullptr;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>((others.size() - 1) / 2);
    std::ranges::nth_element(others, middle, {}, &Stretch::length_ns);
    return *middle;
  }

  /// The collective to go on from; nothing: the way ends here, as `cause` says then.
  std::optional<std::uint32_t> step(std::uint32_t collective, const Late& first, LateCause& cause) const {
    const Late late = late_to(collective);
    const RankKernel last = late.last.kernel;
    cause.root = last.rank;
    cause.root_kernel = last.kernel;
    cause.own_ns = 0;
    cause.excess = {};
    const auto stop = [&](LateStop why) -> std::optional<std::uint32_t> {
      cause.stop = why;
      return std::nullopt;
    };
    if (!has_stretch(last)) return stop(LateStop::recording_begins);
    const Stretch& own = stretch(last);
    const Stretch* const other = like(late);
    if (other == nullptr) return stop(LateStop::nothing_to_compare);
    cause.own_ns = own.length_ns - other->length_ns;
    for (std::size_t i = 0; i < own.times.size(); ++i) cause.excess[i] = own.times[i] - other->times[i];
    const auto most = std::ranges::max_element(cause.excess);
    cause.part = static_cast<StretchPart>(most - cause.excess.begin());
    // What happened on the way must be of the size of what it is to explain.
    const std::int64_t least = cause.hops == 0 ? least_ns_ : std::max(least_ns_, first.late_ns / 4);
    const bool enough = cause.own_ns >= least;
    if (enough && cause.own_ns >= late.late_ns - cause.own_ns) return stop(LateStop::own);
    if (kernel(last).is_message()) return stop(LateStop::pipeline);
    const std::uint32_t before = waits_.kernels[last.rank][own.previous].collective;
    if (before == KernelWait::kAlone) return stop(enough ? LateStop::own : LateStop::peers_missing);
    if (before == collective) return stop(enough ? LateStop::own : LateStop::nobody_late);
    if (waits_.collectives[before].last != CollectiveWait::kNobody) return before;
    // Nobody was late to it, but all of them can have been late together, if the one they are compared with
    // was elsewhere.
    if (has_member(before, first.median.kernel.rank))
      return stop(enough ? LateStop::own : LateStop::nobody_late);
    return before;
  }

  std::span<const RankDigest* const> ranks_;
  const MatchedJob& job_;
  const JobClocks& clocks_;
  const JobWaits& waits_;
  std::int64_t least_ns_;
  std::vector<std::vector<std::uint32_t>> order_;  // by rank: its kernels by step, then start
};

}  // namespace

std::string_view text_of(LateStop stop) {
  switch (stop) {
    case LateStop::own:
      return "its own doing";
    case LateStop::recording_begins:
      return "before the recording";
    case LateStop::peers_missing:
      return "others are not in the data";
    case LateStop::nobody_late:
      return "nobody was late before";
    case LateStop::nothing_to_compare:
      return "no rank to compare with";
    case LateStop::pipeline:
      return "the pipeline's schedule";
    case LateStop::too_small:
      break;
  }
  return "too small to tell";
}

std::vector<LateCause> late_causes(std::span<const RankDigest* const> ranks, const MatchedJob& job,
                                   const JobClocks& clocks, const JobWaits& waits,
                                   const std::stop_token& stop) {
  const WayBack way(ranks, job, clocks, waits);
  std::vector<LateCause> causes;
  for (std::uint32_t i = 0; i < waits.collectives.size(); ++i) {
    if (i % 256 == 0 && stop.stop_requested()) return {};
    if (waits.collectives[i].last != CollectiveWait::kNobody) causes.push_back(way.from(i));
  }
  return causes;
}

std::vector<RankBlame> blame_of(std::span<const LateCause> causes, const JobWaits& waits, std::size_t ranks) {
  std::vector<RankBlame> blame(ranks);
  for (const LateCause& cause : causes) {
    if (cause.stop == LateStop::pipeline) continue;
    RankBlame& rank = blame[cause.root];
    ++rank.collectives;
    rank.caused_ns += waits.collectives[cause.collective].waiting_ns;
    rank.late_ns += cause.late_ns;
    if (cause.stop == LateStop::own) {
      rank.own_ns[static_cast<std::size_t>(cause.part)] += cause.own_ns;
    } else {
      rank.unknown_ns += cause.late_ns;
    }
  }
  return blame;
}

}  // namespace kino
