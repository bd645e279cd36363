#include "app/pages/memory_plot/snapshot_axis.hpp"

#include <algorithm>
#include <cmath>

#include "core/job/unix_clock.hpp"

namespace kino {
namespace {

constexpr std::size_t kLeastSteps = 2;
// Limits on units: kMostStepUnits times the events of a step fits into 64 bits, and all units are exact in a
// double.
constexpr std::int64_t kMostStepUnits = std::int64_t{1} << 31;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 52;
constexpr std::int64_t kRoomShare = 20;  // room before the first event is 1/20 of a step

}  // namespace

SnapshotAxis::SnapshotAxis(const SnapshotDevice& device, SnapshotAxisKind kind,
                           std::shared_ptr<const SnapshotSteps> steps)
    : device_(&device) {
  if (can_show(device, kind, steps.get())) kind_ = kind;
  switch (kind_) {
    case SnapshotAxisKind::events:
      content_ = {-kUnitsPerEvent, std::max<std::int64_t>(event_count(), 1) * kUnitsPerEvent};
      break;
    case SnapshotAxisKind::time: {
      const auto times = device.entries.time_us.span();
      const std::int64_t length_ns = (times.back() - times.front()) * 1000;
      const std::int64_t room = std::max<std::int64_t>(1000, length_ns / 100);
      content_ = {-room, length_ns + room};
      break;
    }
    case SnapshotAxisKind::steps:
      steps_ = std::move(steps);
      lay_out_steps();
      break;
  }
}

bool SnapshotAxis::can_show(const SnapshotDevice& device, SnapshotAxisKind kind, const SnapshotSteps* steps) {
  if (kind == SnapshotAxisKind::time) return clock_of(device).has_value();
  return kind == SnapshotAxisKind::events || (steps != nullptr && steps->ends.size() >= kLeastSteps);
}

// Unless limits apply, steps are so wide that the events of the longest step have the same width as on the
// axis of events.
void SnapshotAxis::lay_out_steps() {
  const auto count = static_cast<std::int64_t>(steps_->ends.size());
  std::int64_t longest = 1;
  EventIndex first = steps_->begin;
  for (const EventIndex end : steps_->ends) {
    longest = std::max<std::int64_t>(longest, end + std::int64_t{1} - first);
    first = end + 1;
  }
  const std::int64_t most = std::min(kMostStepUnits, kMostUnits / (count + 2));
  units_per_step_ = std::clamp(longest * kUnitsPerEvent, kUnitsPerEvent, most);
  const Part after = part(count);
  const std::int64_t room = units_per_step_ / kRoomShare;
  content_ = {part(-1).begin_units - room, after.begin_units + after.length_units};
}

SnapshotAxis::Part SnapshotAxis::part(std::int64_t index) const {
  const auto& ends = steps_->ends;
  const auto steps = static_cast<std::int64_t>(ends.size());
  if (index >= 0 && index < steps) {
    const EventIndex first = index == 0 ? steps_->begin : ends[static_cast<std::size_t>(index) - 1] + 1;
    return {index * units_per_step_, units_per_step_, first,
            ends[static_cast<std::size_t>(index)] + std::int64_t{1} - first};
  }
  const std::int64_t in_steps = std::max<std::int64_t>(1, ends.back() + std::int64_t{1} - steps_->begin);
  const auto length_of = [&](std::int64_t events) {
    const double share =
        static_cast<double>(events) * static_cast<double>(steps) / static_cast<double>(in_steps);
    return std::min(units_per_step_,
                    static_cast<std::int64_t>(std::ceil(share * static_cast<double>(units_per_step_))));
  };
  if (index < 0) {
    const std::int64_t length = length_of(steps_->begin);
    return {-length, length, 0, steps_->begin};
  }
  const std::int64_t after = event_count() - std::int64_t{1} - ends.back();
  return {steps * units_per_step_, length_of(after), ends.back() + 1, after};
}

EventIndex SnapshotAxis::event_at(double units) const {
  if (!(units >= static_cast<double>(content_.begin_ns)) || units >= static_cast<double>(content_.end_ns))
    return kNoMoment;
  if (kind_ == SnapshotAxisKind::steps) {
    const auto at = static_cast<std::int64_t>(std::floor(units));
    const auto steps = static_cast<std::int64_t>(steps_->ends.size());
    const Part interval = part(at < 0 ? -1 : std::min(at / units_per_step_, steps));
    if (at < interval.begin_units || interval.count == 0) return interval.first - 1;
    return interval.first +
           static_cast<EventIndex>((at - interval.begin_units) * interval.count / interval.length_units);
  }
  const auto whole = static_cast<std::int64_t>(std::floor(units / kUnitsPerEvent));
  if (kind_ == SnapshotAxisKind::time) return event_at_time(*device_, device_->entries.time_us[0] + whole);
  return static_cast<EventIndex>(
      std::clamp<std::int64_t>(whole, kBeforeRecording, event_count() - std::int64_t{1}));
}

double SnapshotAxis::begin_of(EventIndex event) const {
  if (event < 0) return static_cast<double>(content_.begin_ns);
  if (event >= event_count()) return static_cast<double>(content_.end_ns);
  switch (kind_) {
    case SnapshotAxisKind::events:
      break;
    case SnapshotAxisKind::time: {
      const auto times = device_->entries.time_us.span();
      return static_cast<double>(times[static_cast<std::size_t>(event)] - times.front()) * 1000.0;
    }
    case SnapshotAxisKind::steps: {
      const auto& ends = steps_->ends;
      const Part interval =
          part(event < steps_->begin ? -1 : std::ranges::lower_bound(ends, event) - ends.begin());
      // Rounded up, so that event_at() returns the same event.
      const std::int64_t inside = (event - interval.first) * interval.length_units;
      const std::int64_t rounded_up = (inside + interval.count - 1) / interval.count;
      return static_cast<double>(interval.begin_units + rounded_up);
    }
  }
  return static_cast<double>(event) * kUnitsPerEvent;
}

double SnapshotAxis::width_of(EventIndex event) const {
  if (kind_ == SnapshotAxisKind::time) return 0;
  return begin_of(std::max(event, kBeforeRecording) + 1) - begin_of(event);
}

}  // namespace kino
