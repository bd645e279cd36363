// Counts the events of a source by their role in the model; the counts add up to all events.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class EventPart : std::uint8_t {
  slices,
  slice_ends,
  async_slices,
  async_ends,
  instants,
  async_points,  ///< async steps, and async ends without a start: shown as instants
  counters,
  flows,
  metadata,
  empty,
  dropped,
};

inline constexpr int kEventPartCount = static_cast<int>(EventPart::dropped) + 1;

struct EventPartCount {
  EventPart part{};
  std::uint64_t count = 0;
};

/// Returns the parts that occur, in the order of EventPart. Their counts add up to the total of
/// Trace::counts.
std::vector<EventPartCount> event_parts(const Trace& trace);

/// Returns the number of events that are slices of threads and streams: events with a duration, and begin
/// events. Excludes async slices.
std::uint64_t slice_events(const Trace& trace);

/// Returns the name of a part: "slices", "flow events", ...; in the singular for a count of 1.
Message text_of(EventPart part, std::uint64_t count);

}  // namespace kino
