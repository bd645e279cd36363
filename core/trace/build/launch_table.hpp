// Which call launched GPU work: slices by the correlation id that both have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"

namespace kino {

/// A slice and an id that others name it by.
struct Correlated {
  std::uint32_t correlation;
  SliceId slice;
};

/// Launches by correlation id, in open addressing.
class LaunchTable {
 public:
  /// For so many launches at most.
  explicit LaunchTable(std::size_t launches) {
    std::size_t buckets = 16;
    while (buckets < 2 * launches) buckets *= 2;
    entries_ = Column<Correlated>(buckets);
  }
  /// Of several launches with one id, which is not 0, the earliest in row order counts.
  void add(const Correlated& launch) {
    Correlated& entry = entries_[slot_of(launch.correlation)];
    entry = {launch.correlation, entry.correlation == 0 ? launch.slice : std::min(entry.slice, launch.slice)};
  }
  bool contains(std::uint32_t correlation) const { return place_of(correlation) < places(); }
  /// The number of the launch with this id, below places(); places() if there is none. It holds until the
  /// next add().
  std::size_t place_of(std::uint32_t correlation) const {
    const std::size_t slot = slot_of(correlation);
    return correlation != 0 && entries_[slot].correlation == correlation ? slot : places();
  }
  std::size_t places() const { return entries_.size(); }
  /// The launch with this id, or kNoSlice.
  SliceId find(std::uint32_t correlation) const {
    const std::size_t place = place_of(correlation);
    return place < places() ? entries_[place].slice : kNoSlice;
  }

 private:
  std::size_t slot_of(std::uint32_t correlation) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = (correlation * 0x9E3779B97F4A7C15ULL) >> 20 & mask;
    while (entries_[i].correlation != 0 && entries_[i].correlation != correlation) i = (i + 1) & mask;
    return i;
  }
  Column<Correlated> entries_;  // correlation 0: empty
};

}  // namespace kino
