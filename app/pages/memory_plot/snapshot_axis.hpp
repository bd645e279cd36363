// The horizontal axis of a snapshot's plots: events one beside the other, real time, or training steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/memory/memory_raster.hpp"
#include "core/memory/snapshot.hpp"
#include "core/memory/snapshot_steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class SnapshotAxisKind : std::uint8_t {
  events,
  time,
  steps,  ///< each of the same width; inside of one its events lie side by side
};
inline constexpr std::size_t kSnapshotAxisKinds = 3;

/// Positions are units that Navigation takes for ns: a thousandth of an event, ns since the first event, or a
/// share of a step.
class SnapshotAxis {
 public:
  static constexpr std::int64_t kUnitsPerEvent = 1000;

  /// `device` outlives it, and `steps` are its; null while they are not known. Falls back to events where
  /// can_show() says no. O(log events), O(steps) along steps.
  explicit SnapshotAxis(const SnapshotDevice& device, SnapshotAxisKind kind = SnapshotAxisKind::events,
                        std::shared_ptr<const SnapshotSteps> steps = nullptr);
  /// Time: whether entries have times, and ascending ones. Steps: whether there are two or more. O(1).
  static bool can_show(const SnapshotDevice& device, SnapshotAxisKind kind, const SnapshotSteps* steps);

  SnapshotAxisKind kind() const { return kind_; }
  bool by_time() const { return kind_ == SnapshotAxisKind::time; }
  /// Null unless it is along steps.
  const std::shared_ptr<const SnapshotSteps>& steps() const { return steps_; }
  /// Of a step. Step i lies from i times that to the next; what is before or after all steps is beside them,
  /// as wide as its events would be in a step of average length, but at most as a step.
  std::int64_t units_per_step() const { return units_per_step_; }
  /// With some room before the first event, for the state before the recording.
  TimeRange content() const { return content_; }
  /// The event after which the state at this position is; kNoMoment outside of content(). O(log n).
  EventIndex event_at(double units) const;
  /// Where the state after `event` begins; behind the content for kNever. O(1), O(log steps) along steps.
  double begin_of(EventIndex event) const;
  /// How wide an event's stretch is; 0 along time, where an event is a moment.
  double width_of(EventIndex event) const;

 private:
  /// Events that share a stretch of the axis evenly: a step, or what is before or after all of them.
  struct Part {
    std::int64_t begin_units = 0;
    std::int64_t length_units = 0;
    EventIndex first = 0;
    std::int64_t count = 0;
  };
  void lay_out_steps();
  /// -1 is before the first step, the number of steps behind the last.
  Part part(std::int64_t index) const;
  EventIndex event_count() const { return static_cast<EventIndex>(device_->entries.size_entries()); }

  const SnapshotDevice* device_;
  SnapshotAxisKind kind_ = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps_;
  std::int64_t units_per_step_ = 0;
  TimeRange content_;
};

}  // namespace kino
