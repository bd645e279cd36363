#include "app/ui/tables/track_titles.hpp"

#include <array>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

std::string shown_title(const TimelineState& state, std::uint32_t track) {
  const std::string& own = state.arrangement.tracks[track].title;
  return own.empty() ? track_title(state.rows(), track) : own;
}

std::string track_title(const ShownRows& rows, std::uint32_t track) {
  const Track& shown = rows.track_at(track);
  if (rows.is_packed_track(track)) return name_text(shown);
  if (!rows.is_derived(track)) return name_text(*rows.trace, track);
  constexpr std::array kTitles{Text::counter_utilization,     Text::counter_sm_efficiency,
                               Text::counter_bandwidth,       Text::counter_memory,
                               Text::counter_queue,           Text::counter_all_queues,
                               Text::counter_snapshot_active, Text::counter_snapshot_reserved,
                               Text::counter_outstanding,     Text::counter_query};
  static_assert(kTitles.size() == static_cast<std::size_t>(DerivedCounter::query) + 1);
  return filled(device_text(kTitles.at(static_cast<std::size_t>(rows.counters->kind(track))), *rows.trace),
                {shown.tid});
}

Unit counter_unit(const ShownRows& rows, std::uint32_t track) {
  if (!rows.is_derived(track)) return rows.track_at(track).bytes ? Unit::bytes : Unit::number;
  switch (rows.counters->kind(track)) {
    case DerivedCounter::utilization:
    case DerivedCounter::sm_efficiency:
      return Unit::share;
    case DerivedCounter::copy_bandwidth:
      return Unit::gb_per_s;
    case DerivedCounter::memory:
    case DerivedCounter::snapshot_active:
    case DerivedCounter::snapshot_reserved:
      return Unit::bytes;
    case DerivedCounter::queue_length:
    case DerivedCounter::all_queues:
    case DerivedCounter::outstanding:
    case DerivedCounter::query:
      break;
  }
  return Unit::count;
}

}  // namespace kino
