#include "loaders/query/slice_columns.hpp"

namespace kino {

std::string slice_column_list(bool with_context) {
  const std::string context = with_context ? " " : " HIDDEN ";
  return "id INTEGER, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, name TEXT, depth INTEGER, "
         "parent_id INTEGER, arg_set_id INTEGER, cat TEXT, slice_id INTEGER, thread_name" +
         context + "TEXT, tid" + context + ", utid" + context + "INTEGER, is_main_thread" + context +
         "INTEGER, process_name" + context + "TEXT, pid" + context + ", upid" + context +
         "INTEGER, ts_end HIDDEN INTEGER, name_id HIDDEN INTEGER, self_dur HIDDEN INTEGER, link_id HIDDEN "
         "INTEGER, lane HIDDEN INTEGER, kind HIDDEN TEXT, source_offset HIDDEN INTEGER";
}

const Nesting* SliceValues::nesting() {
  if (nesting_ == nullptr) nesting_ = model_.nesting(clock_.stop());
  return nesting_;
}

void SliceValues::prefetch(EventNumber event, std::uint64_t used) const {
  if (!model_.is_slice(event)) return;
  const SliceColumns& slices = model_.trace().slices;
  const auto uses = [used](SliceField field) { return ((used >> static_cast<int>(field)) & 1U) != 0; };
  const bool ends = uses(SliceField::ts_end);
  if (ends || uses(SliceField::ts)) __builtin_prefetch(slices.start_ns.data() + event);
  if (ends || uses(SliceField::dur)) __builtin_prefetch(slices.duration_ns.data() + event);
  if (uses(SliceField::name) || uses(SliceField::name_id)) __builtin_prefetch(slices.name.data() + event);
  if (uses(SliceField::category) || uses(SliceField::cat)) __builtin_prefetch(slices.category.data() + event);
  if (uses(SliceField::link_id)) __builtin_prefetch(slices.link.data() + event);
  if (nesting_ == nullptr) return;
  if (uses(SliceField::track_id)) __builtin_prefetch(nesting_->track.data() + event);
  if (uses(SliceField::depth)) __builtin_prefetch(nesting_->depth.data() + event);
  if (uses(SliceField::parent_id)) __builtin_prefetch(nesting_->parent.data() + event);
}

bool numbers_add_up(SliceField field) {
  constexpr auto kNumbers = [] {
    std::uint32_t fields = 0;
    for (const SliceField one :
         {SliceField::id, SliceField::arg_set_id, SliceField::slice_id, SliceField::ts, SliceField::ts_end,
          SliceField::dur, SliceField::name_id, SliceField::self_dur, SliceField::source_offset,
          SliceField::track_id, SliceField::depth})
      fields |= 1U << static_cast<unsigned>(one);
    return fields;
  }();
  return (kNumbers >> static_cast<unsigned>(field) & 1U) != 0;
}

std::int64_t SliceValues::number(SliceField field, EventNumber event) {
  switch (field) {
    case SliceField::ts:
      return model_.unix_ns(model_.start_ns(event));
    case SliceField::ts_end:
      return model_.unix_ns(model_.end_ns(event));
    case SliceField::dur:
      return model_.duration_ns(event);
    case SliceField::name_id:
      return index_of(model_.name(event));
    case SliceField::self_dur:
      if (self_ == nullptr) self_ = model_.self_ns(clock_.stop());
      return self_ != nullptr ? (*self_)[event] : 0;
    case SliceField::source_offset:
      return static_cast<std::int64_t>(model_.source_offset(event));
    case SliceField::track_id:
    case SliceField::depth: {
      const Nesting* const nested = nesting();
      if (nested == nullptr) return 0;  // the clock has run out, which ends the statement
      return field == SliceField::track_id ? nested->track[event] : nested->depth[event];
    }
    default:
      return event;
  }
}

void SliceValues::give(sqlite3_context* out, SliceField field, EventNumber event) {
  if (numbers_add_up(field)) return sqlite3_result_int64(out, number(field, event));
  switch (field) {
    case SliceField::name:
      return give_text(out, model_.name_text(event));
    case SliceField::category:
    case SliceField::cat:
      if (const std::string_view text = model_.category_text(event); !text.empty()) give_text(out, text);
      return;
    case SliceField::link_id:
      if (model_.is_slice(event) && model_.trace().slices.link[event] != kNoSlice)
        sqlite3_result_int64(out, index_of(model_.trace().slices.link[event]));
      return;
    case SliceField::lane:
      if (model_.is_slice(event))
        sqlite3_result_int64(out, model_.trace().row(model_.trace().row_of(SliceId{event})).lane);
      return;
    case SliceField::kind:
      if (model_.is_slice(event)) give_text(out, text_of(model_.trace().slices.kind[event]));
      return;
    default:
      return give_thread(out, field, event);
  }
}

/// Sets the result to a field that depends on the nesting, the process or the thread.
void SliceValues::give_thread(sqlite3_context* out, SliceField field, EventNumber event) {
  const Nesting* const nested = nesting();
  if (nested == nullptr) return;  // the clock has run out, which ends the statement
  if (field == SliceField::parent_id) {
    if (nested->parent[event] != kNoEvent) sqlite3_result_int64(out, nested->parent[event]);
    return;
  }
  const QueryTrack& track = nested->tracks[nested->track[event]];
  const QueryProcess& process = model_.processes()[track.process];
  if (field == SliceField::pid) return give_number_or_text(out, process.pid);
  if (field == SliceField::upid) return sqlite3_result_int64(out, track.process);
  if (field == SliceField::process_name) return give_text(out, process.title);
  if (track.thread == QueryTrack::kNoThread) return;
  const QueryThread& thread = model_.threads()[track.thread];
  if (field == SliceField::utid) return sqlite3_result_int64(out, track.thread);
  if (field == SliceField::tid) return give_number_or_text(out, thread.tid);
  if (field == SliceField::thread_name) return give_text(out, thread.name);
  sqlite3_result_int(out, thread.tid == process.pid ? 1 : 0);
}

}  // namespace kino
