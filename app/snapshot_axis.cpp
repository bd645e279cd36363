#include "app/snapshot_axis.hpp"

#include <algorithm>
#include <cmath>

#include "core/unix_clock.hpp"

namespace kino {

SnapshotAxis::SnapshotAxis(const SnapshotDevice& device, bool by_time)
    : device_(&device), by_time_(by_time && can_show_time(device)) {
  const auto count = static_cast<std::int64_t>(device.entries.size_entries());
  if (by_time_) {
    const auto times = device.entries.time_us.span();
    const std::int64_t length_ns = (times.back() - times.front()) * 1000;
    const std::int64_t room = std::max<std::int64_t>(1000, length_ns / 100);
    content_ = {-room, length_ns + room};
  } else {
    content_ = {-kUnitsPerEvent, std::max<std::int64_t>(count, 1) * kUnitsPerEvent};
  }
}

bool SnapshotAxis::can_show_time(const SnapshotDevice& device) { return clock_of(device).has_value(); }

EventIndex SnapshotAxis::event_at(double units) const {
  if (!(units >= static_cast<double>(content_.begin_ns)) || units >= static_cast<double>(content_.end_ns)) {
    return kNoMoment;
  }
  const auto whole = static_cast<std::int64_t>(std::floor(units / kUnitsPerEvent));
  if (by_time_) return event_at_time(*device_, device_->entries.time_us[0] + whole);
  const auto last = static_cast<std::int64_t>(device_->entries.size_entries()) - 1;
  return static_cast<EventIndex>(std::clamp<std::int64_t>(whole, kBeforeRecording, last));
}

double SnapshotAxis::begin_of(EventIndex event) const {
  if (event < 0) return static_cast<double>(content_.begin_ns);
  if (static_cast<std::size_t>(event) >= device_->entries.size_entries()) {
    return static_cast<double>(content_.end_ns);
  }
  if (!by_time_) return static_cast<double>(event) * kUnitsPerEvent;
  const auto times = device_->entries.time_us.span();
  return static_cast<double>(times[static_cast<std::size_t>(event)] - times.front()) * 1000.0;
}

}  // namespace kino
