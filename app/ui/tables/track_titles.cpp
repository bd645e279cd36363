#include "app/ui/tables/track_titles.hpp"

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

std::string shown_title(const TimelineState& state, std::uint32_t track) {
  const std::string& own = state.arrangement.tracks[track].title;
  return own.empty() ? track_title(state.rows(), track) : own;
}

std::string track_title(const ShownRows& rows, std::uint32_t track) {
  const Track& it = rows.track_at(track);
  if (rows.is_packed_track(track)) return name_text(it);
  if (!rows.is_derived(track)) return name_text(*rows.trace, track);
  switch (rows.counters->kind(track)) {
    case DerivedCounter::utilization:
      return tr(Text::counter_utilization);
    case DerivedCounter::sm_efficiency:
      return tr(Text::counter_sm_efficiency);
    case DerivedCounter::copy_bandwidth:
      return filled(Text::counter_bandwidth, {it.tid});
    case DerivedCounter::memory:
      return filled(Text::counter_memory, {it.tid});
    case DerivedCounter::queue_length:
      return filled(Text::counter_queue, {it.tid});
    case DerivedCounter::snapshot_active:
      return filled(Text::counter_snapshot_active, {it.tid});
    case DerivedCounter::snapshot_reserved:
      return filled(Text::counter_snapshot_reserved, {it.tid});
    case DerivedCounter::outstanding:
      return filled(Text::counter_outstanding, {it.tid});
    case DerivedCounter::query:
      return filled(Text::counter_query, {it.tid});
    case DerivedCounter::all_queues:
      return tr(Text::counter_all_queues);
  }
  return it.name.str();
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
