#include "core/trace/event_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace kino {

std::uint64_t slice_events(const Trace& trace) {
  return trace.counts[EventType::complete] + trace.paired_slices;
}

std::vector<EventPartCount> event_parts(const Trace& trace) {
  const EventCounts& counts = trace.counts;
  const std::uint64_t points = trace.instants.time_ns.size();
  const std::uint64_t async_points = points - std::min(points, counts[EventType::instants]);
  const std::uint64_t async_shown = trace.async_slices + async_points;
  const std::uint64_t async_ends = counts[EventType::async] - std::min(counts[EventType::async], async_shown);
  const std::array<std::uint64_t, kEventPartCount> by_part{
      slice_events(trace),         counts[EventType::end],
      trace.async_slices,          async_ends,
      counts[EventType::instants], async_points,
      counts[EventType::counters], counts[EventType::flows],
      counts[EventType::metadata], counts[EventType::empty],
      counts[EventType::dropped]};
  std::vector<EventPartCount> parts;
  parts.reserve(by_part.size());
  for (std::size_t i = 0; i < by_part.size(); ++i) {
    if (by_part[i] > 0) parts.push_back({static_cast<EventPart>(i), by_part[i]});
  }
  return parts;
}

Message text_of(EventPart part, std::uint64_t count) {
  constexpr std::array<std::pair<msg::Id, msg::Id>, kEventPartCount> kTexts{
      {{msg::event_part_slice, msg::event_part_slices},
       {msg::event_part_slice_end, msg::event_part_slice_ends},
       {msg::event_part_async_slice, msg::event_part_async_slices},
       {msg::event_part_async_end, msg::event_part_async_ends},
       {msg::event_part_instant, msg::event_part_instants},
       {msg::event_part_async_point, msg::event_part_async_points},
       {msg::event_part_counter, msg::event_part_counters},
       {msg::event_part_flow, msg::event_part_flows},
       {msg::event_part_metadata, msg::event_part_metadata},
       {msg::event_part_empty, msg::event_part_empty},
       {msg::event_part_skipped, msg::event_part_skipped}}};
  const auto& [one, several] = kTexts[static_cast<std::size_t>(part)];
  return count == 1 ? one : several;
}

}  // namespace kino
