// The horizontal axis of a snapshot's plots: events side by side, real time, or training steps.
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
  steps,  ///< steps of equal width, with their events side by side
};
inline constexpr std::size_t kSnapshotAxisKinds = 3;

/// Maps events to positions. A position is in units that Navigation treats as ns: 1/1000 of an event, ns, or
/// fractions of a step.
class SnapshotAxis {
 public:
  static constexpr std::int64_t kUnitsPerEvent = 1000;

  /// `device` must outlive the axis. `steps` are the steps of the device; null if they are not known. If
  /// can_show() returns false for `kind`, the axis shows events. O(1), or O(steps) for steps.
  explicit SnapshotAxis(const SnapshotDevice& device, SnapshotAxisKind kind = SnapshotAxisKind::events,
                        std::shared_ptr<const SnapshotSteps> steps = nullptr);
  /// Returns whether the device supports a kind of axis. Time requires entries with ascending times, and
  /// steps require at least two steps. O(1).
  static bool can_show(const SnapshotDevice& device, SnapshotAxisKind kind, const SnapshotSteps* steps);

  SnapshotAxisKind kind() const { return kind_; }
  bool by_time() const { return kind_ == SnapshotAxisKind::time; }
  /// Returns the steps of the axis; null unless the axis shows steps.
  const std::shared_ptr<const SnapshotSteps>& steps() const { return steps_; }
  /// Returns the width of a step in units. Step i covers [i, i + 1) times this width. The events before the
  /// first step, and those after the last, have the average width of an event in steps. Each of these two
  /// parts is at most as wide as a step.
  std::int64_t units_per_step() const { return units_per_step_; }
  /// Returns the range of the axis, including some room before the first event for the state before the
  /// recording.
  TimeRange content() const { return content_; }
  /// Returns the event that produced the state at this position; kNoMoment outside of content(). O(log
  /// events).
  EventIndex event_at(double units) const;
  /// Returns the position at which the state after `event` starts. Returns the start of the axis for
  /// kBeforeRecording, and its end for kNever. O(1); O(log steps) for steps.
  double begin_of(EventIndex event) const;
  /// Returns the width of an event's interval. Returns 0 on an axis of time, where an event has no width.
  double width_of(EventIndex event) const;

 private:
  /// Events that share an interval of the axis evenly: those of a step, or all events before or after the
  /// steps.
  struct Part {
    std::int64_t begin_units = 0;
    std::int64_t length_units = 0;
    EventIndex first = 0;
    std::int64_t count = 0;
  };
  void lay_out_steps();
  /// Returns the part of a step. `index` -1 is the part before the first step, and the number of steps is the
  /// part after the last.
  Part part(std::int64_t index) const;
  EventIndex event_count() const { return static_cast<EventIndex>(device_->entries.entry_count()); }

  const SnapshotDevice* device_;
  SnapshotAxisKind kind_ = SnapshotAxisKind::events;
  std::shared_ptr<const SnapshotSteps> steps_;
  std::int64_t units_per_step_ = 0;
  TimeRange content_;
};

}  // namespace kino
