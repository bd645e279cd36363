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

}  // namespace kino
