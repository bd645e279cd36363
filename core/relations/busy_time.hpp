// Stretches of time as sets: united, cut out of each other, and measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// In order, without empty ones; those that touch or overlap are one. O(n log n).
std::vector<TimeRange> united(std::vector<TimeRange> ranges);

// Of what united() gives.
/// What of `ranges` none of `without` covers. O(n + m).
std::vector<TimeRange> left_of(std::span<const TimeRange> ranges, std::span<const TimeRange> without);
std::int64_t length_of(std::span<const TimeRange> ranges);

/// Stretches of one kind, in order, and how much of any time they cover.
class BusyLine {
 public:
  BusyLine() = default;
  /// `ranges` are united().
  explicit BusyLine(std::vector<TimeRange> ranges);

  const std::vector<TimeRange>& ranges() const { return ranges_; }
  /// How much of [begin, end) they cover, in ns. O(log n).
  std::int64_t covered(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// The share that they cover of each of equally long parts of time, from 0 to 1: of [begin, begin +
  /// length), of what follows, ... Length is positive. O(parts * log of the stretches in one).
  void shares(double begin_ns, double length_ns, std::span<float> parts) const;

 private:
  std::int64_t before(std::int64_t time_ns) const;

  std::vector<TimeRange> ranges_;
  std::vector<std::int64_t> sums_;  // covered before each of them
};

}  // namespace kino
