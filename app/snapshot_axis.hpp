// The horizontal axis of a snapshot's plots: events one beside the other, or real time.
#pragma once

#include <cstdint>

#include "core/memory_raster.hpp"
#include "core/snapshot.hpp"
#include "core/trace.hpp"

namespace kino {

/// Positions are units that Navigation takes for ns: a thousandth of an event, or ns since the first event.
class SnapshotAxis {
 public:
  static constexpr std::int64_t kUnitsPerEvent = 1000;

  /// `device` outlives it. Time falls back to events where can_show_time() says no.
  SnapshotAxis(const SnapshotDevice& device, bool by_time);
  /// Whether entries have times, and ascending ones.
  static bool can_show_time(const SnapshotDevice& device);

  bool by_time() const { return by_time_; }
  /// With some room before the first event, for the state before the recording.
  TimeRange content() const { return content_; }
  /// The event after which the state at this position is; kNoMoment outside of content(). O(log n).
  EventIndex event_at(double units) const;
  /// Where the state after `event` begins; behind the content for kNever. O(1).
  double begin_of(EventIndex event) const;

 private:
  const SnapshotDevice* device_;
  bool by_time_ = false;
  TimeRange content_;
};

}  // namespace kino
