#include "core/job/collective_matching.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/job/shift_search.hpp"
#include "core/job/stream_joining.hpp"

namespace kino {
class CollectiveMatcher::Matcher {
  /// Identifies a channel: kernels with equal keys execute in the same order on every rank.
  struct ChannelKey {
    MatchedGroupKind kind{};
    std::string name;
    std::vector<std::int64_t> members;
    std::int64_t source = -1;
    std::int64_t target = -1;
    // Without a known process group, each (rank, stream) is a separate channel until join_streams().
    std::uint32_t rank = 0;
    std::string stream;
    auto operator<=>(const ChannelKey&) const = default;  // NOLINT(modernize-use-nullptr): false positive
  };

  using Kernels = RankStream::Kernels;

  struct Channel {
    std::string description;
    std::map<std::uint32_t, Kernels> by_rank;

    std::size_t size() const {
      std::size_t size = 0;
      for (const auto& [rank, kernels] : by_rank) size += kernels.size();
      return size;
    }
  };

  /// Properties that separate the channels of one rank.
  struct RankChannelKey {
    std::uint32_t group = 0;
    std::uint32_t stream = 0;
    bool apart = false;  // has a separate channel: message of a group, or custom kernel without a group
    std::int64_t source = -1;
    std::int64_t target = -1;
    auto operator<=>(const RankChannelKey&) const = default;  // NOLINT(modernize-use-nullptr): false positive
  };
  using RankChannels = std::map<RankChannelKey, Kernels>;

  static RankChannels channels_of(const RankDigest& digest) {
    RankChannels channels;
    // There are few operations, and several of them can belong to one channel.
    std::vector<Kernels*> of_operation;
    for (const CommunicationOperation& operation : digest.kernels.operations()) {
      const bool grouped = operation.group != CommunicationKernel::kNoGroup;
      const RankChannelKey key{operation.group, grouped ? 0 : operation.stream,
                               grouped ? is_message(operation.kind) : operation.custom, operation.source,
                               operation.target};
      of_operation.push_back(&channels[key]);
    }
    for (std::uint32_t k = 0; k < digest.kernels.size(); ++k)
      of_operation[digest.kernels.calls()[digest.kernels.call(k)].operation]->push_back(k);
    std::erase_if(channels, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [key, kernels] : channels) kernels.shrink_to_fit();
    return channels;
  }

  /// Returns the channel of a kernel; nullopt if it is unknown.
  static std::optional<ChannelKey> key_of(const RankDigest& digest, const CommunicationOperation& kernel,
                                          std::uint32_t rank) {
    ChannelKey key;
    if (kernel.group == CommunicationKernel::kNoGroup) {
      if (kernel.custom) {
        key.kind = MatchedGroupKind::custom;
        return key;
      }
      if (!digest.groups.empty()) return std::nullopt;  // if any group is known, do not guess
      key.kind = MatchedGroupKind::unlabelled;
      key.rank = rank;
      key.stream = digest.texts[kernel.stream];
      return key;
    }
    const RankGroup& group = digest.groups[kernel.group];
    key.name = group.name;
    key.members = group.members;
    if (is_message(kernel.kind)) {
      if (kernel.source < 0 || kernel.target < 0) return std::nullopt;
      key.kind = MatchedGroupKind::messages;
      key.source = kernel.source;
      key.target = kernel.target;
    }
    return key;
  }

  /// Positions of the kernels of one rank in the order of their channel.
  struct Places {
    static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

    // For a list that is shifted as a whole: place of its first kernel.
    std::int64_t first = kNone;
    MatchLevel level = MatchLevel::exact;
    // Place and level of each kernel of a list with sequence numbers; empty for other lists.
    std::vector<std::int64_t> each;
    std::vector<MatchLevel> levels;

    std::int64_t of(std::size_t i) const {
      if (!each.empty()) return each[i];
      return first == kNone ? kNone : first + static_cast<std::int64_t>(i);
    }
    MatchLevel level_of(std::size_t i) const { return levels.empty() ? level : levels[i]; }
  };

  /// Result for one channel, and the evidence for the result.
  struct MatchedChannel {
    MatchedGroup group;
    std::vector<CollectiveInstance> instances;
    std::vector<RankKernel> members;
    std::vector<RankKernel> alone;
    std::vector<std::optional<ShiftChoice>> choices;  // by index of `present`; nullopt for the reference
    std::size_t reference = 0;                        // index of `present`
    bool numbered = false;
  };

 public:
  Matcher(std::span<const RankDigest* const> ranks, const JobKernels& kernels, std::stop_token stop)
      : ranks_(ranks), kernels_(kernels), stop_(std::move(stop)) {
    gather();
  }

  MatchedJob match() {
    join_streams();
    channels_list_.clear();
    for (const auto& [key, channel] : channels_) channels_list_.emplace_back(&key, &channel);
    matched_.assign(channels_list_.size(), {});
    // The largest channels first, so that threads finish at about the same time.
    std::vector<std::size_t> order(channels_list_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return channels_list_[i].second->size(); });
    parallel_for(thread_count_or_default(0), order.size(), stop_, [&](std::size_t i, unsigned) {
      matched_[order[i]] = match(*channels_list_[order[i]].first, *channels_list_[order[i]].second);
    });
    if (stop_.stop_requested()) return {};
    return collected();
  }

  bool refine(std::span<const double> offset_ns, MatchedJob& job) {
    offset_ns_ = offset_ns;
    if (joined_) {
      job = match();
      return true;
    }
    std::vector<char> again(matched_.size(), 0);
    std::vector<char> changed(matched_.size(), 0);
    std::size_t first = 0;  // index of the first instance of the group
    std::vector<std::size_t> begins;
    for (std::size_t g = 0; g < matched_.size(); ++g) {
      begins.push_back(first);
      while (first < job.instances.size() && job.instances[first].group == g) ++first;
    }
    begins.push_back(first);
    parallel_for(thread_count_or_default(0), matched_.size(), stop_, [&](std::size_t g, unsigned) {
      if (!as_expected(matched_[g])) {
        again[g] = 1;
        return;
      }
      for (std::size_t i = begins[g]; i < begins[g + 1]; ++i) {
        CollectiveInstance& instance = job.instances[i];
        if (instance.level == MatchLevel::rejected || !apart_in_time(instance.kernels)) continue;
        instance.level = MatchLevel::rejected;
        changed[g] = 1;
      }
    });
    if (stop_.stop_requested()) return false;
    if (std::ranges::find(again, 1) == again.end()) return std::ranges::find(changed, 1) != changed.end();
    job = match();
    return true;
  }

 private:
  MatchedJob collected() {
    MatchedJob job;
    std::size_t count = 0;
    for (const MatchedChannel& channel : matched_) count += channel.instances.size();
    job.instances.reserve(count);
    job.alone = unplaced_;
    for (MatchedChannel& channel : matched_) {
      for (CollectiveInstance& instance : channel.instances) {
        instance.group = static_cast<std::uint32_t>(job.groups.size());
        job.instances.push_back(instance);
      }
      channel.instances = {};
      job.alone.insert(job.alone.end(), channel.alone.begin(), channel.alone.end());
      channel.alone = {};
      job.members.push_back(std::move(channel.members));
      job.groups.push_back(channel.group);
    }
    std::ranges::sort(job.alone, {},
                      [](const RankKernel& member) { return std::pair(member.rank, member.kernel); });
    return job;
  }

  void gather() {
    std::vector<RankChannels> of_rank(ranks_.size());
    parallel_for(thread_count_or_default(0), ranks_.size(), stop_,
                 [&](std::size_t r, unsigned) { of_rank[r] = channels_of(*ranks_[r]); });
    if (stop_.stop_requested()) return;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const RankDigest& digest = *ranks_[r];
      for (auto& [local, kernels] : of_rank[r]) {
        std::optional<ChannelKey> key = key_of(digest, digest.kernels.operation(kernels.front()), r);
        if (!key) {
          for (const std::uint32_t k : kernels) unplaced_.push_back({r, k});
          continue;
        }
        Channel& channel = channels_[*std::move(key)];
        if (local.group != CommunicationKernel::kNoGroup && channel.description.empty())
          channel.description = digest.groups[local.group].description;
        add(channel.by_rank[r], std::move(kernels), r);
      }
    }
  }

  void add(Kernels& list, Kernels kernels, std::uint32_t rank) const {
    const KernelColumns& columns = kernels_.ranks[rank];
    const auto by_time = [&](std::uint32_t k) { return std::pair(columns.start_ns(k), columns.end_ns(k)); };
    if (list.empty()) {
      list = std::move(kernels);
    } else {
      list.insert(list.end(), kernels.begin(), kernels.end());
      std::ranges::sort(list);
    }
    list.shrink_to_fit();
    if (!std::ranges::is_sorted(list, {}, by_time)) std::ranges::stable_sort(list, {}, by_time);
  }

  void join_streams() {
    if (unlabelled_.empty()) {
      for (auto& [key, channel] : channels_) {
        if (key.kind == MatchedGroupKind::unlabelled)
          unlabelled_.emplace_back(key.rank, std::move(channel.by_rank.begin()->second));
      }
    }
    std::erase_if(channels_,
                  [](const auto& entry) { return entry.first.kind == MatchedGroupKind::unlabelled; });
    if (unlabelled_.empty()) return;
    std::vector<RankStream> streams;
    std::map<std::uint32_t, std::size_t> streams_of;
    streams.reserve(unlabelled_.size());
    for (const auto& [rank, kernels] : unlabelled_) {
      streams.push_back({rank, &kernels});
      ++streams_of[rank];
    }
    const bool one_each =
        std::ranges::all_of(streams_of, [](const auto& entry) { return entry.second == 1; });
    std::vector<std::size_t> group(streams.size(), 0);
    if (!one_each) group = joined_streams(streams, ranks_, kernels_, offset_ns_);
    joined_ = !one_each;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      ChannelKey key;
      key.kind = MatchedGroupKind::unlabelled;
      key.rank = static_cast<std::uint32_t>(group[i]);
      channels_[key].by_rank[streams[i].rank] = *streams[i].kernels;
    }
  }

  // ---- One channel

  MatchedChannel match(const ChannelKey& key, const Channel& channel) const {
    MatchedChannel out;
    out.group = {key.kind, key.name, channel.description, key.source, key.target, 0, {}, 0};
    std::vector<RankStream> of_ranks;
    of_ranks.reserve(channel.by_rank.size());
    for (const auto& [rank, kernels] : channel.by_rank) {
      of_ranks.push_back({rank, &kernels});
      out.group.present.push_back(rank);
      out.group.kernels += kernels.size();
    }
    const std::int64_t repeats = number_repeats(of_ranks);
    out.numbered = repeats > 0;
    out.group.members = key.kind == MatchedGroupKind::messages ? 2
                        : key.members.empty()                  ? out.group.present.size()
                                                               : key.members.size();
    std::vector<Places> places;
    if (out.numbered) {
      for (const auto& [rank, kernels] : of_ranks) places.push_back(by_number(rank, *kernels, repeats));
    } else {
      places = by_order(of_ranks, out);
    }
    if (!stop_.stop_requested()) put_together(of_ranks, places, out);
    return out;
  }

  /// Returns the largest number of kernels that share a sequence number on one rank: one call can launch
  /// several kernels. Returns 0 if some rank has no numbers: all kernels of that rank would remain unmatched.
  std::int64_t number_repeats(std::span<const RankStream> of_ranks) const {
    std::int64_t most = 0;
    for (const auto& [rank, kernels] : of_ranks) {
      std::unordered_map<std::int64_t, std::int64_t> counts;
      for (const std::uint32_t kernel : *kernels) {
        const std::int64_t number = ranks_[rank]->kernels.sequence(kernel);
        if (number >= 0) most = std::max(most, ++counts[number]);
      }
      if (counts.empty()) return 0;
    }
    return most;
  }

  /// Returns places by sequence number: the n-th kernel with a number on one rank matches the n-th kernel
  /// with the same number on the others. If the numbers increase by one per kernel of the list, kernels
  /// without a number get the place that follows from their index.
  Places by_number(std::uint32_t rank, const Kernels& kernels, std::int64_t repeats) const {
    const auto sequence = [&](std::size_t i) { return ranks_[rank]->kernels.sequence(kernels[i]); };
    std::optional<std::int64_t> ahead;  // place minus index in the list, of the previous numbered kernel
    bool by_one = repeats == 1;
    std::unordered_map<std::int64_t, std::int64_t> counts;
    Places places;
    places.each.assign(kernels.size(), Places::kNone);
    places.levels.assign(kernels.size(), MatchLevel::exact);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const std::int64_t number = sequence(i);
      if (number < 0 || number > std::numeric_limits<std::int64_t>::max() / repeats - 1) continue;
      places.each[i] = repeats == 1 ? number : number * repeats + counts[number]++;
      const std::int64_t difference = places.each[i] - static_cast<std::int64_t>(i);
      by_one = by_one && (!ahead || *ahead == difference);
      ahead = difference;
    }
    for (std::size_t i = 0; i < kernels.size() && ahead && by_one; ++i) {
      if (places.each[i] != Places::kNone) continue;
      places.each[i] = static_cast<std::int64_t>(i) + *ahead;
      places.levels[i] = MatchLevel::proved;
    }
    return places;
  }

  std::vector<Places> by_order(std::span<const RankStream> of_ranks, MatchedChannel& out) const {
    const StreamLists lists = lists_of(of_ranks, kernels_);
    // Use the longest list as the reference, because it overlaps most with the others.
    const auto longest = std::ranges::max_element(of_ranks, {}, [](const RankStream& stream) {
      return std::pair(stream.kernels->size(), -std::int64_t{stream.rank});
    });
    out.reference = static_cast<std::size_t>(longest - of_ranks.begin());
    out.choices.resize(of_ranks.size());
    std::vector<Places> places(of_ranks.size());
    for (std::size_t i = 0; i < of_ranks.size() && !stop_.stop_requested(); ++i) {
      if (i == out.reference) {
        places[i].first = 0;  // its level remains `exact`, so the level of the other kernel counts
        continue;
      }
      out.choices[i] = best_shift(lists.lists[out.reference], lists.lists[i], lists.conflict,
                                  expected_shift(offset_ns_, of_ranks[i].rank, of_ranks[out.reference].rank));
      if (!out.choices[i]) continue;
      places[i].first = out.choices[i]->best.shift;
      places[i].level = out.choices[i]->certain ? MatchLevel::proved : MatchLevel::order;
    }
    return places;
  }

  /// Returns whether the channel has sequence numbers, or every shift is certain and agrees with the clock
  /// offsets to 1 ms.
  bool as_expected(const MatchedChannel& channel) const {
    constexpr double kAsExpected = 1e6;
    if (channel.numbered) return true;
    for (std::size_t i = 0; i < channel.choices.size(); ++i) {
      if (i == channel.reference) continue;
      const std::optional<ShiftChoice>& choice = channel.choices[i];
      const std::optional<double> by_clocks =
          expected_shift(offset_ns_, channel.group.present[i], channel.group.present[channel.reference]);
      if (!choice || !choice->certain || !by_clocks ||
          std::abs(choice->best.median_ns - *by_clocks) >= kAsExpected)
        return false;
    }
    return true;
  }

  struct Placed {
    std::int64_t place = 0;
    RankKernel kernel;
    MatchLevel level = MatchLevel::exact;
  };

  /// Forms one instance per place that at least two kernels have. All other kernels are added to
  /// `out.alone`.
  void put_together(std::span<const RankStream> of_ranks, const std::vector<Places>& places,
                    MatchedChannel& out) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    std::size_t count = 0;
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      for (std::size_t i = 0; i < of_ranks[r].kernels->size(); ++i) {
        const std::int64_t place = places[r].of(i);
        if (place == Places::kNone) {
          out.alone.push_back({of_ranks[r].rank, (*of_ranks[r].kernels)[i]});
          continue;
        }
        least = std::min(least, place);
        most = std::max(most, place);
        ++count;
      }
    }
    if (count == 0) return;
    std::vector<Placed> all = in_order(of_ranks, places, least, most, count);
    out.members.reserve(count);
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && all[end].place == all[begin].place) ++end;
      add(std::span(all).subspan(begin, end - begin), out);
      begin = end;
    }
  }

  /// Returns kernels sorted by place, then rank, then time.
  std::vector<Placed> in_order(std::span<const RankStream> of_ranks, const std::vector<Places>& places,
                               std::int64_t least, std::int64_t most, std::size_t count) const {
    std::vector<Placed> all;
    const auto visit = [&](auto&& put) {
      for (std::size_t r = 0; r < of_ranks.size(); ++r) {
        for (std::size_t i = 0; i < of_ranks[r].kernels->size(); ++i) {
          const std::int64_t place = places[r].of(i);
          if (place != Places::kNone)
            put(Placed{place, {of_ranks[r].rank, (*of_ranks[r].kernels)[i]}, places[r].level_of(i)});
        }
      }
    };
    const auto range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    if (range > 8 * std::uint64_t{count} + 1024) {  // places are too sparse for a counting sort
      all.reserve(count);
      visit([&](const Placed& placed) { all.push_back(placed); });
      std::ranges::stable_sort(all, {}, &Placed::place);
      return all;
    }
    std::vector<std::uint32_t> next(range + 2, 0);
    visit([&](const Placed& placed) { ++next[static_cast<std::size_t>(placed.place - least) + 1]; });
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    all.resize(count);
    visit(
        [&](const Placed& placed) { all[next[static_cast<std::size_t>(placed.place - least)]++] = placed; });
    return all;
  }

  void add(std::span<const Placed> together, MatchedChannel& out) const {
    if (together.size() < 2) {
      out.alone.push_back(together.front().kernel);
      return;
    }
    CollectiveInstance& instance = out.instances.emplace_back();
    instance.complete = together.size() == out.group.members;
    const std::size_t first = out.members.size();
    bool conflict = false;
    const RankKernel& front = together.front().kernel;
    const std::uint32_t like = kernels_.ranks[front.rank].signature(front.kernel);
    for (const Placed& placed : together) {
      instance.level = std::max(instance.level, placed.level);
      const std::uint32_t own = kernels_.ranks[placed.kernel.rank].signature(placed.kernel.kernel);
      conflict = conflict ||
                 (own != like && signatures_conflict(kernels_.signatures[like], kernels_.signatures[own]));
      out.members.push_back(placed.kernel);  // never reallocated, because the memory is reserved
    }
    instance.kernels = RankKernels(out.members.data() + first, together.size());
    // Streams without a group were joined by their ends, so a match is at most `proved`, and only if it is by
    // sequence numbers.
    if (out.group.kind == MatchedGroupKind::unlabelled && joined_)
      instance.level = std::max(instance.level, out.numbered ? MatchLevel::proved : MatchLevel::order);
    if (conflict || apart_in_time(instance.kernels)) instance.level = MatchLevel::rejected;
  }

  /// Returns whether one kernel ended more than 2 ms before another began, by the fitted clocks. False before
  /// a fit.
  bool apart_in_time(std::span<const RankKernel> members) const {
    constexpr double kLongBefore = 2e6;
    if (offset_ns_.empty()) return false;
    double latest_start = -std::numeric_limits<double>::infinity();
    double earliest_end = std::numeric_limits<double>::infinity();
    for (const RankKernel& member : members) {
      const KernelColumns& columns = kernels_.ranks[member.rank];
      const std::int64_t start_ns = columns.start_ns(member.kernel);
      const double start = static_cast<double>(start_ns - origin_ns()) - offset_ns_[member.rank];
      latest_start = std::max(latest_start, start);
      earliest_end =
          std::min(earliest_end, start + static_cast<double>(columns.end_ns(member.kernel) - start_ns));
    }
    return latest_start - earliest_end > kLongBefore;
  }

  /// Returns a reference time near all times, because the precision of a double is 256 ns for Unix times.
  std::int64_t origin_ns() const { return ranks_.front()->first_ns; }

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  std::stop_token stop_;
  std::span<const double> offset_ns_;  // empty before the first fit
  std::map<ChannelKey, Channel> channels_;
  std::vector<std::pair<std::uint32_t, Kernels>> unlabelled_;  // rank and its stream's kernels
  std::vector<RankKernel> unplaced_;
  std::vector<std::pair<const ChannelKey*, const Channel*>> channels_list_;
  std::vector<MatchedChannel> matched_;
  bool joined_ = false;
};

MatchedJob::MatchedJob(const MatchedJob& other)
    : groups(other.groups), instances(other.instances), alone(other.alone), members(other.members) {
  for (CollectiveInstance& instance : instances) {
    const auto at = instance.kernels.data() - other.members[instance.group].data();
    instance.kernels = {members[instance.group].data() + at, instance.kernels.size()};
  }
}

std::string_view letter_of(MatchLevel level) {
  constexpr std::array<std::string_view, 4> kLetters{"A", "B", "C", "X"};
  return kLetters[static_cast<std::size_t>(level)];
}

CollectiveMatcher::CollectiveMatcher(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                                     std::stop_token stop)
    : matcher_(std::make_unique<Matcher>(ranks, kernels, std::move(stop))) {}
CollectiveMatcher::~CollectiveMatcher() = default;
MatchedJob CollectiveMatcher::match() { return matcher_->match(); }
bool CollectiveMatcher::refine(std::span<const double> offset_ns, MatchedJob& job) {
  return matcher_->refine(offset_ns, job);
}

}  // namespace kino
