// Time ranges in about a third of the memory of TimeRange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A list of time ranges in any order; sorted ranges compress best. Immutable.
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
  /// Returns all ranges uncompressed. O(n).
  std::vector<TimeRange> list() const { return {begin(), end()}; }

  /// Access for serialization; see PackedTable.
  PackedTable& table() { return table_; }
  const PackedTable& table() const { return table_; }
  bool sound() const { return table_.sound(2); }

 private:
  // Unsigned arithmetic, because the end of a hostile file's range can overflow.
  static std::int64_t end_of(std::int64_t begin_ns, std::int64_t length_ns) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(begin_ns) +
                                     static_cast<std::uint64_t>(length_ns));
  }

  PackedTable table_;  // begin, length
};

}  // namespace kino
