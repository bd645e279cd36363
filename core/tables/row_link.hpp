// Link from a table row to a slice, an allocation, a moment, a time range or a whole recording.
#pragma once

#include <cstdint>

#include "core/base/allocation_ids.hpp"
#include "core/base/ids.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Target of a table row (24 bytes). Recording 0 is the one that the table describes; recordings compared
/// with it have the numbers 1, 2, ... In tables of a job, a recording is the index of a rank's trace.
class RowLink {
 public:
  enum class Kind : std::uint8_t { none, slice, allocation, moment, range, recording };

  RowLink() = default;
  // NOLINTBEGIN(google-explicit-constructor): each id is a distinct type and defines the kind of link.
  /// kNoSlice and kNoAllocation become links of kind `none`.
  RowLink(SliceId slice, std::uint32_t recording = 0)
      : first_(index_of(slice)), recording_(recording), kind_(slice == kNoSlice ? Kind::none : Kind::slice) {}
  RowLink(AllocationId allocation, std::uint32_t recording = 0)
      : first_(index_of(allocation)),
        recording_(recording),
        kind_(allocation == kNoAllocation ? Kind::none : Kind::allocation) {}
  RowLink(TimeRange range, std::uint32_t recording = 0)
      : first_(range.begin_ns), second_(range.end_ns), recording_(recording), kind_(Kind::range) {}
  // NOLINTEND(google-explicit-constructor)
  /// Links to an event of a snapshot.
  static RowLink to_moment(EventIndex event, std::uint32_t recording = 0) {
    return {event, recording, Kind::moment};
  }
  static RowLink to_recording(std::uint32_t recording) { return {0, recording, Kind::recording}; }

  Kind kind() const { return kind_; }
  std::uint32_t recording() const { return recording_; }
  // Each of these functions requires the corresponding kind().
  SliceId slice() const { return SliceId{static_cast<std::uint32_t>(first_)}; }
  AllocationId allocation() const { return AllocationId{static_cast<std::uint32_t>(first_)}; }
  EventIndex moment() const { return static_cast<EventIndex>(first_); }
  TimeRange range() const { return {first_, second_}; }

  bool operator==(const RowLink&) const = default;

 private:
  RowLink(std::int64_t first, std::uint32_t recording, Kind kind)
      : first_(first), recording_(recording), kind_(kind) {}

  std::int64_t first_ = 0;
  std::int64_t second_ = 0;
  std::uint32_t recording_ = 0;
  Kind kind_ = Kind::none;
};

}  // namespace kino
