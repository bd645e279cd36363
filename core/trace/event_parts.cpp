#include "core/trace/event_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace kino {

std::uint64_t slice_events(const Trace& trace) {
  return trace.counts[EventSort::complete] + trace.paired_slices;
}

std::vector<EventPartCount> event_parts(const Trace& trace) {
  const EventCounts& counts = trace.counts;
  const std::uint64_t points = trace.instants.time_ns.size();
  const std::uint64_t async_points = points - std::min(points, counts[EventSort::instants]);
  const std::uint64_t async_shown = trace.async_slices + async_points;
  const std::uint64_t async_ends = counts[EventSort::async] - std::min(counts[EventSort::async], async_shown);
  const std::array<std::uint64_t, kEventPartCount> by_part{
      slice_events(trace),         counts[EventSort::end],
      trace.async_slices,          async_ends,
      counts[EventSort::instants], async_points,
      counts[EventSort::counters], counts[EventSort::flows],
      counts[EventSort::metadata], counts[EventSort::empty],
      counts[EventSort::dropped]};
  std::vector<EventPartCount> parts;
  parts.reserve(by_part.size());
  for (std::size_t i = 0; i < by_part.size(); ++i) {
    if (by_part[i] > 0) parts.push_back({static_cast<EventPart>(i), by_part[i]});
  }
  return parts;
}

std::string_view text_of(EventPart part, std::uint64_t count) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, kEventPartCount> kTexts{
      {{"slice", "slices"},
       {"end of these slices", "ends of these slices"},
       {"async slice", "async slices"},
       {"end of these async slices", "ends of these async slices"},
       {"instant", "instants"},
       {"async step or lone end, shown as an instant", "async steps or lone ends, shown as instants"},
       {"counter", "counters"},
       {"flow event", "flow events"},
       {"metadata", "metadata"},
       {"empty", "empty"},
       {"left out", "left out"}}};
  const auto& [one, several] = kTexts[static_cast<std::size_t>(part)];
  return count == 1 ? one : several;
}

}  // namespace kino
