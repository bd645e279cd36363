// Finds the call that launched a piece of GPU work, by the correlation id that both have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/huge_memory.hpp"
#include "core/base/ids.hpp"

namespace kino {

/// A slice and its correlation id or external id.
struct Correlated {
  std::uint32_t correlation;
  SliceId slice;
};

/// Hash table of launches by correlation id, with open addressing.
class LaunchTable {
 public:
  /// Creates a table for at most `launches` launches.
  explicit LaunchTable(std::size_t launches) {
    std::size_t buckets = 16;
    while (buckets < 2 * launches) buckets *= 2;
    entries_ = Column<Correlated>(buckets);
  }
  /// Adds a launch, whose id must not be 0. If several launches have the same id, the earliest in row order
  /// is used.
  void add(const Correlated& launch) {
    Correlated& entry = entries_[slot_of(launch.correlation)];
    entry = {launch.correlation, entry.correlation == 0 ? launch.slice : std::min(entry.slice, launch.slice)};
  }
  bool contains(std::uint32_t correlation) const { return place_of(correlation) < places(); }
  /// Returns the index of the launch with this id, or places() if there is none. Valid until the next add().
  std::size_t place_of(std::uint32_t correlation) const {
    const std::size_t slot = slot_of(correlation);
    return correlation != 0 && entries_[slot].correlation == correlation ? slot : places();
  }
  std::size_t places() const { return entries_.size(); }
  /// Returns the launch with this id, or kNoSlice.
  SliceId find(std::uint32_t correlation) const {
    const std::size_t index = place_of(correlation);
    return index < places() ? entries_[index].slice : kNoSlice;
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
