// Sets of time ranges: union, difference and length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the union of the ranges in order, without empty ranges. Ranges that touch or overlap become one.
/// O(n log runs).
std::vector<TimeRange> united(std::vector<TimeRange> ranges);
/// Appends a range, or extends the last range if the new one starts within it or at its end. Saves memory in
/// lists that are passed to united() later.
void append_range(std::vector<TimeRange>& ranges, TimeRange range);

// The next two functions require results of united().
/// Returns the parts of `ranges` that `without` does not cover. O(n + m).
std::vector<TimeRange> without_ranges(std::span<const TimeRange> ranges, std::span<const TimeRange> without);
std::int64_t length_of(std::span<const TimeRange> ranges);

/// Disjoint ranges in order, with the time they cover up to any point; about 6 bytes per range. Immutable.
class BusyLine {
 public:
  using Iterator = IndexedIterator<BusyLine, TimeRange>;

  BusyLine() = default;
  /// `ranges` must be a result of united().
  explicit BusyLine(std::span<const TimeRange> ranges);

  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  TimeRange operator[](std::size_t i) const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  /// Returns the summed length of all ranges.
  std::int64_t length_ns() const { return length_ns_; }
  /// Returns the index of the first range that ends after `time_ns`, or size(). `near` is an index near the
  /// result. O(log(ranges between the result and `near`)).
  std::size_t first_after(std::int64_t time_ns, std::size_t near = 0) const;
  /// Returns the covered time within [begin_ns, end_ns). `near` is the index of a range near `begin_ns`.
  /// O(log(ranges between `near` and the ends)).
  std::int64_t covered(std::int64_t begin_ns, std::int64_t end_ns, std::size_t near = 0) const;
  /// Computes the covered share, from 0 to 1, of consecutive bins that start at `begin_ns` and are
  /// `length_ns` long. The length must be positive. O(parts * log(ranges per bin)).
  void shares(double begin_ns, double length_ns, std::span<float> parts) const;

 private:
  std::int64_t sum_before(std::size_t i) const { return i < size() ? table_.at(i, 1) : length_ns_; }
  /// Returns the covered time before `time_ns`. `near` is the index at which the search starts; on return, it
  /// is the index of the first range that starts after `time_ns`.
  std::int64_t before(std::int64_t time_ns, std::size_t& near) const;

  PackedTable table_;  // columns: start, and the time covered by earlier ranges
  std::int64_t length_ns_ = 0;
};

}  // namespace kino
