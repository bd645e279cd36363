// Sums up events by group without sorting them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "loaders/query/model/event_ranks.hpp"

namespace kino {

/// Groups of events with equal values of the keys (at most kMostKeys). If there are no keys, all events are
/// one group.
class EventSums {
 public:
  static constexpr std::size_t kMostKeys = 3;
  /// Integer that holds the sum of 2^32 int64 values.
  __extension__ using Wide = __int128;

  struct Total {
    Wide sum = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
  };
  struct Group {
    std::array<std::uint32_t, kMostKeys> ranks{};
    EventNumber first = kNoEvent;  ///< the first event added
    std::int64_t events = 0;
    std::size_t totals = 0;  ///< index of the group's first total
  };

  /// `numbers` is the number of columns to sum up.
  EventSums(std::vector<EventRanks> keys, std::size_t numbers);

  /// Adds an event with its numbers, as many as stated in the constructor. O(1), amortized.
  void add(EventNumber event, std::span<const std::int64_t> numbers) {
    Group& group = groups_[group_of(event)];
    if (group.events++ == 0) group.first = event;
    Total* total = totals_.data() + group.totals;
    for (const std::int64_t number : numbers) {
      total->sum += number;
      if (number < total->least) total->least = number;
      if (number > total->most) total->most = number;
      ++total;
    }
  }

  /// Sorts the groups by key. Call after the last add(). O(groups log groups).
  void finish();
  std::span<const Group> groups() const { return groups_; }
  const Total& total(const Group& group, std::size_t number) const { return totals_[group.totals + number]; }
  std::size_t size_bytes() const;

 private:
  struct Hash {
    std::size_t operator()(const std::array<std::uint32_t, kMostKeys>& ranks) const;
  };
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::size_t group_of(EventNumber event) {
    if (dense_.empty()) return group_among_many(event);
    std::size_t place = 0;
    for (const EventRanks& key : keys_) place = place * key.count() + key(event);
    if (dense_[place] == kNone) dense_[place] = add_group(event);
    return dense_[place];
  }
  std::size_t group_among_many(EventNumber event);
  std::array<std::uint32_t, kMostKeys> ranks_of(EventNumber event) const;
  std::uint32_t add_group(EventNumber event);

  std::vector<EventRanks> keys_;
  std::size_t numbers_;
  std::vector<Group> groups_;
  std::vector<Total> totals_;
  // group by combination of ranks; empty if there are too many combinations
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::array<std::uint32_t, kMostKeys>, std::uint32_t, Hash> sparse_;
};

}  // namespace kino
