// The part of an iteration's time that each moment of one GPU belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/serving/iteration_parts.hpp"
#include "core/tables/serving/serving_work.hpp"

namespace kino {

/// A time range that belongs to one part.
struct PartStretch {
  TimeRange range;
  IterationPart part = IterationPart::other;
};

/// Parts of all moments from the first to the last work of a device. Immutable.
class PartTimeline {
 public:
  /// `marks`: disjoint, in order. O(slices + work log work).
  PartTimeline(const Trace& trace, const ServingWork& work, std::uint32_t device,
               std::span<const TimeRange> marks, const std::stop_token& stop = {});

  /// Returns the time of each part. Time after the last work is IterationPart::idle_unknown. O(log stretches
  /// + stretches in the range).
  IterationTimes times(TimeRange range) const;
  std::span<const PartStretch> stretches() const { return stretches_; }

 private:
  std::vector<PartStretch> stretches_;  // without gaps
};

}  // namespace kino
