#include "core/job/collective_matching.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/job/median.hpp"
#include "core/job/shift_search.hpp"

namespace kino {
namespace {

using Items = std::vector<CommunicationItem>;

/// What makes a list of communications that stand in one order on all ranks.
struct ChannelKey {
  MatchedGroupKind kind{};
  std::string name;
  std::vector<std::int64_t> members;
  std::int64_t source = -1;
  std::int64_t target = -1;
  // Of what no group is known of each rank's stream is a list of its own.
  std::uint32_t rank = 0;
  std::string stream;
  bool operator<(const ChannelKey& other) const {
    return std::tie(kind, name, members, source, target, rank, stream) <
           std::tie(other.kind, other.name, other.members, other.source, other.target, other.rank,
                    other.stream);
  }
};

struct Channel {
  std::string description;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_rank;  // kernels
};

/// Where an item stands in the order of its group, and how surely.
struct Placed {
  std::int64_t place = 0;
  MatchLevel level = MatchLevel::exact;
};

class Matcher {
 public:
  Matcher(std::span<const RankDigest* const> ranks, std::span<const double> offset_ns,
          const std::stop_token& stop)
      : ranks_(ranks), offset_ns_(offset_ns), stop_(stop) {}

  MatchedJob run() {
    gather();
    join_streams();
    std::vector<std::pair<const ChannelKey*, const Channel*>> channels;
    for (const auto& [key, channel] : channels_) channels.emplace_back(&key, &channel);
    std::vector<Matched> matched(channels.size());
    // The largest ones first, so that none is left for the end.
    std::vector<std::size_t> order(channels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return size_of(*channels[i].second); });
    parallel_for(thread_count_or_default(0), order.size(), stop_, [&](std::size_t i, unsigned) {
      matched[order[i]] = match(*channels[order[i]].first, *channels[order[i]].second);
    });
    if (stop_.stop_requested()) return {};
    for (Matched& it : matched) take(std::move(it));
    std::ranges::sort(job_.alone, {}, [](const RankKernel& it) { return std::pair(it.rank, it.kernel); });
    return std::move(job_);
  }

 private:
  /// What one channel tells.
  struct Matched {
    MatchedGroup group;
    std::vector<CollectiveInstance> instances;
    std::vector<RankKernel> alone;
  };

  void take(Matched matched) {
    for (CollectiveInstance& instance : matched.instances) {
      instance.group = static_cast<std::uint32_t>(job_.groups.size());
      job_.instances.push_back(std::move(instance));
    }
    job_.alone.insert(job_.alone.end(), matched.alone.begin(), matched.alone.end());
    job_.groups.push_back(std::move(matched.group));
  }

  static std::size_t size_of(const Channel& channel) {
    std::size_t size = 0;
    for (const auto& [rank, kernels] : channel.by_rank) size += kernels.size();
    return size;
  }

  void gather() {
    texts_.intern("");
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const RankDigest& digest = *ranks_[r];
      std::vector<std::uint32_t>& text_of = text_of_.emplace_back();
      for (std::uint32_t i = 0; i < digest.texts.size(); ++i)
        text_of.push_back(texts_.intern(digest.texts[i]));
      // A key has all members of its group: it is made once of many kernels.
      std::map<std::tuple<std::uint32_t, std::uint32_t, bool, std::int64_t, std::int64_t>, Channel*> known;
      for (std::uint32_t k = 0; k < digest.kernels.size(); ++k) {
        const CommunicationKernel& kernel = digest.kernels[k];
        const bool grouped = kernel.group != CommunicationKernel::kNoGroup;
        const auto [place, fresh] =
            known.try_emplace({kernel.group, grouped ? 0 : kernel.stream,
                               grouped ? kernel.is_message() : kernel.custom, kernel.source, kernel.target},
                              nullptr);
        if (fresh) {
          if (std::optional<ChannelKey> key = key_of(digest, kernel, r)) {
            place->second = &channels_[*std::move(key)];
            if (grouped) place->second->description = digest.groups[kernel.group].description;
          }
        }
        if (place->second == nullptr) {
          job_.alone.push_back({r, k});
        } else {
          place->second->by_rank[r].push_back(k);
        }
      }
    }
  }

  /// In order of time.
  Items items_of(std::uint32_t rank, const std::vector<std::uint32_t>& kernels) const {
    Items items;
    items.reserve(kernels.size());
    for (const std::uint32_t k : kernels)
      items.push_back(item_of(ranks_[rank]->kernels[k], text_of_[rank], rank, k));
    std::ranges::stable_sort(items, {},
                             [](const CommunicationItem& it) { return std::pair(it.start_ns, it.end_ns); });
    return items;
  }

  static CommunicationItem item_of(const CommunicationKernel& kernel,
                                   const std::vector<std::uint32_t>& text_of, std::uint32_t rank,
                                   std::uint32_t index) {
    CommunicationItem item;
    item.start_ns = kernel.start_ns;
    item.end_ns = kernel.end_ns();
    item.in_elements = kernel.in_elements;
    item.out_elements = kernel.out_elements;
    item.sequence = kernel.sequence;
    item.communication = kernel.communication;
    item.step = kernel.step;
    item.family = text_of[kernel.family];
    item.algorithm = text_of[kernel.algorithm];
    item.dtype = text_of[kernel.dtype];
    item.rank = rank;
    item.kernel = index;
    item.kind = kernel.kind;
    item.told = kernel.evidence == GroupEvidence::kernel || kernel.evidence == GroupEvidence::annotation;
    return item;
  }

  /// Nothing for a kernel that cannot be told to be of any.
  static std::optional<ChannelKey> key_of(const RankDigest& digest, const CommunicationKernel& kernel,
                                          std::uint32_t rank) {
    ChannelKey key;
    if (kernel.group == CommunicationKernel::kNoGroup) {
      if (kernel.custom) {
        key.kind = MatchedGroupKind::custom;
        return key;
      }
      if (!digest.groups.empty()) return std::nullopt;  // never a guess beside known groups
      key.kind = MatchedGroupKind::unlabelled;
      key.rank = rank;
      key.stream = digest.texts[kernel.stream];
      return key;
    }
    const RankGroup& group = digest.groups[kernel.group];
    key.name = group.name;
    key.members = group.members;
    if (kernel.is_message()) {
      if (kernel.source < 0 || kernel.target < 0) return std::nullopt;
      key.kind = MatchedGroupKind::messages;
      key.source = kernel.source;
      key.target = kernel.target;
    }
    return key;
  }

  std::optional<double> expected(std::uint32_t rank, std::uint32_t reference) const {
    if (offset_ns_.empty()) return std::nullopt;
    return offset_ns_[rank] - offset_ns_[reference];
  }

  // ---- Without groups, streams of ranks whose ends agree are one communicator

  struct Pair {
    double deviation_ns = 0;
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t overlap = 0;
  };
  /// Streams that are one communicator so far.
  struct Joined {
    std::vector<std::size_t> lists;
    double deviation_ns = 0;  // the largest of its pairs; 0 for one alone
  };

  void join_streams() {
    std::vector<std::pair<ChannelKey, Items>> lists;
    std::vector<std::vector<std::uint32_t>> kernels;
    std::map<std::uint32_t, std::size_t> streams_of;
    for (auto& [key, channel] : channels_) {
      if (key.kind != MatchedGroupKind::unlabelled) continue;
      kernels.push_back(std::move(channel.by_rank.begin()->second));
      lists.emplace_back(key, items_of(key.rank, kernels.back()));
      ++streams_of[key.rank];
    }
    for (const auto& [key, items] : lists) channels_.erase(key);
    if (lists.empty()) return;
    const bool one_each = std::ranges::all_of(streams_of, [](const auto& it) { return it.second == 1; });
    std::vector<std::size_t> group(lists.size(), 0);
    if (!one_each) group = grouped(lists);
    joined_ = !one_each;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ChannelKey key;
      key.kind = MatchedGroupKind::unlabelled;
      key.rank = static_cast<std::uint32_t>(group[i]);
      channels_[key].by_rank[lists[i].first.rank] = std::move(kernels[i]);
    }
  }

  /// The number of each list's group. The closest pairs are merged first, unless that would put two streams
  /// of one rank into a group, or things that differ from what is in it.
  std::vector<std::size_t> grouped(const std::vector<std::pair<ChannelKey, Items>>& lists) const {
    constexpr double kClose = 30e3;
    std::map<std::pair<std::size_t, std::size_t>, Pair> pairs;
    for (std::size_t a = 0; a < lists.size(); ++a) {
      for (std::size_t b = a + 1; b < lists.size(); ++b) {
        const std::uint32_t x = lists[a].first.rank;
        const std::uint32_t y = lists[b].first.rank;
        if (x == y) continue;
        const auto shift = best_shift(lists[a].second, lists[b].second, expected(y, x));
        if (shift && shift->long_enough)
          pairs[{a, b}] = {shift->best.deviation_ns, a, b, shift->best.overlap};
      }
    }
    std::vector<Pair> closest;
    for (const auto& [place, pair] : pairs) {
      if (pair.deviation_ns < kClose) closest.push_back(pair);
    }
    std::ranges::sort(closest, {}, &Pair::deviation_ns);
    std::vector<std::size_t> group(lists.size());
    std::vector<Joined> joined(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      group[i] = i;
      joined[i].lists = {i};
    }
    for (const Pair& pair : closest) {
      Joined& into = joined[group[pair.a]];
      Joined& from = joined[group[pair.b]];
      if (&into == &from || share_a_rank(lists, into, from) || differ(pairs, into, from)) continue;
      into.deviation_ns = std::max({into.deviation_ns, from.deviation_ns, pair.deviation_ns});
      for (const std::size_t list : std::exchange(from.lists, {})) {
        group[list] = group[pair.a];
        into.lists.push_back(list);
      }
    }
    return group;
  }

  static bool share_a_rank(const std::vector<std::pair<ChannelKey, Items>>& lists, const Joined& a,
                           const Joined& b) {
    return std::ranges::any_of(a.lists, [&](std::size_t x) {
      return std::ranges::any_of(b.lists,
                                 [&](std::size_t y) { return lists[x].first.rank == lists[y].first.rank; });
    });
  }

  /// Whether what lies between the two is unlikely by what lies within them: neighbours that move in lockstep
  /// are close, but not as close as members of one collective.
  static bool differ(const std::map<std::pair<std::size_t, std::size_t>, Pair>& pairs, const Joined& a,
                     const Joined& b) {
    constexpr double kUnlikely = 10;
    const double within = std::max(a.deviation_ns, b.deviation_ns);
    if (a.lists.size() == 1 && b.lists.size() == 1) return false;
    double sum = 0;
    for (const std::size_t x : a.lists) {
      for (const std::size_t y : b.lists) {
        const auto pair = pairs.find({std::min(x, y), std::max(x, y)});
        if (pair == pairs.end()) return true;
        sum += static_cast<double>(pair->second.overlap) *
               std::log((pair->second.deviation_ns + kNsPerUs) / (within + kNsPerUs));
      }
    }
    return sum > kUnlikely;
  }

  // ---- One list

  Matched match(const ChannelKey& key, const Channel& channel) const {
    Matched out;
    out.group.kind = key.kind;
    out.group.name = key.name;
    out.group.description = channel.description;
    out.group.source = key.source;
    out.group.target = key.target;
    std::map<std::uint32_t, Items> by_rank;
    bool numbered = false;
    for (const auto& [rank, kernels] : channel.by_rank) {
      const Items& items = by_rank[rank] = items_of(rank, kernels);
      out.group.present.push_back(rank);
      out.group.kernels += items.size();
      numbered = numbered || std::ranges::any_of(items, [](const auto& it) { return it.sequence >= 0; });
    }
    out.group.members = key.kind == MatchedGroupKind::messages ? 2
                        : key.members.empty()                  ? out.group.present.size()
                                                               : key.members.size();
    std::map<std::int64_t, Together> by_place;
    for (const auto& [rank, items] : by_rank) {
      if (stop_.stop_requested()) return out;
      const std::vector<std::optional<Placed>> places =
          numbered ? by_number(items) : by_order(by_rank, rank, items);
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (!places[i]) {
          out.alone.push_back({rank, items[i].kernel});
          continue;
        }
        Together& together = by_place[places[i]->place];
        together.level = std::max(together.level, places[i]->level);
        together.items.push_back(&items[i]);
      }
    }
    for (const auto& [place, together] : by_place) add(together, out);
    return out;
  }

  /// What has one place in the lists of several ranks.
  struct Together {
    MatchLevel level = MatchLevel::exact;
    std::vector<const CommunicationItem*> items;  // by rank
  };

  void add(const Together& together, Matched& out) const {
    if (together.items.size() < 2) {
      out.alone.push_back({together.items.front()->rank, together.items.front()->kernel});
      return;
    }
    CollectiveInstance& instance = out.instances.emplace_back();
    instance.complete = together.items.size() == out.group.members;
    instance.level = together.level;
    if (out.group.kind == MatchedGroupKind::unlabelled && joined_)
      instance.level = std::max(instance.level, MatchLevel::order);
    if (conflict(together)) instance.level = MatchLevel::rejected;
    instance.kernels.reserve(together.items.size());
    for (const CommunicationItem* item : together.items)
      instance.kernels.push_back({item->rank, item->kernel});
  }

  /// Items without a number have that of their neighbours, if those that have one count by one.
  static std::vector<std::optional<Placed>> by_number(const Items& items) {
    std::optional<std::int64_t> ahead;  // of the place in the list
    bool by_one = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].sequence < 0) continue;
      const std::int64_t difference = items[i].sequence - static_cast<std::int64_t>(i);
      by_one = by_one && (!ahead || *ahead == difference);
      ahead = difference;
    }
    std::vector<std::optional<Placed>> places(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].sequence >= 0) {
        places[i] = Placed{items[i].sequence, MatchLevel::exact};
      } else if (ahead && by_one) {
        places[i] = Placed{static_cast<std::int64_t>(i) + *ahead, MatchLevel::proved};
      }
    }
    return places;
  }

  std::vector<std::optional<Placed>> by_order(const std::map<std::uint32_t, Items>& by_rank,
                                              std::uint32_t rank, const Items& items) const {
    // The longest list has most in common with the others.
    const auto reference = std::ranges::max_element(
        by_rank, {}, [](const auto& it) { return std::pair(it.second.size(), -std::int64_t{it.first}); });
    std::vector<std::optional<Placed>> places(items.size());
    std::int64_t shift = 0;
    MatchLevel level = MatchLevel::exact;  // the reference alone says nothing of it
    if (rank != reference->first) {
      const auto choice = best_shift(reference->second, items, expected(rank, reference->first));
      if (!choice) return places;
      shift = choice->best.shift;
      level = choice->certain ? MatchLevel::proved : MatchLevel::order;
    }
    for (std::size_t i = 0; i < items.size(); ++i)
      places[i] = Placed{static_cast<std::int64_t>(i) + shift, level};
    return places;
  }

  bool conflict(const Together& together) const {
    constexpr double kLongBefore = 2e6;
    double latest_start = -std::numeric_limits<double>::infinity();
    double earliest_end = std::numeric_limits<double>::infinity();
    for (const CommunicationItem* item : together.items) {
      if (signatures_conflict(*together.items.front(), *item)) return true;
      if (offset_ns_.empty()) continue;
      const double start = static_cast<double>(item->start_ns - origin_ns()) - offset_ns_[item->rank];
      latest_start = std::max(latest_start, start);
      earliest_end = std::min(earliest_end, start + static_cast<double>(item->end_ns - item->start_ns));
    }
    return !offset_ns_.empty() && latest_start - earliest_end > kLongBefore;
  }

  /// Near all times, which a double alone holds to 256 ns only.
  std::int64_t origin_ns() const { return ranks_.front()->first_ns; }

  std::span<const RankDigest* const> ranks_;
  std::span<const double> offset_ns_;
  const std::stop_token& stop_;
  StringTable texts_;
  std::vector<std::vector<std::uint32_t>> text_of_;  // by rank and its text: of texts_
  std::map<ChannelKey, Channel> channels_;
  bool joined_ = false;
  MatchedJob job_;
};

}  // namespace

std::string_view letter_of(MatchLevel level) {
  constexpr std::array<std::string_view, 4> kLetters{"A", "B", "C", "X"};
  return kLetters[static_cast<std::size_t>(level)];
}

MatchedJob match_collectives(std::span<const RankDigest* const> ranks, std::span<const double> offset_ns,
                             const std::stop_token& stop) {
  return Matcher(ranks, offset_ns, stop).run();
}

}  // namespace kino
