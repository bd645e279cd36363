// Stretches of time in a third of their room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Any ranges in any order; those in order of time take least. Gives values. Immutable.
class PackedRanges {
 public:
  using Iterator = IndexedIterator<PackedRanges, TimeRange>;

  PackedRanges() = default;
  explicit PackedRanges(std::span<const TimeRange> ranges);

  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  TimeRange operator[](std::size_t i) const {
    const auto [begin_ns, length_ns] = table_.row<2>(i);
    return {begin_ns, end_of(begin_ns, length_ns)};
  }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  /// All of them as they were. O(n).
  std::vector<TimeRange> list() const { return {begin(), end()}; }

  /// For storing: see PackedTable.
  PackedTable& table() { return table_; }
  const PackedTable& table() const { return table_; }
  bool sound() const { return table_.sound(2); }

 private:
  // In unsigned numbers: a hostile file's may pass the end of the others.
  static std::int64_t end_of(std::int64_t begin_ns, std::int64_t length_ns) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(begin_ns) +
                                     static_cast<std::uint64_t>(length_ns));
  }

  PackedTable table_;  // begin, length
};

}  // namespace kino
