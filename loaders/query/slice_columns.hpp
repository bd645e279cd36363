// The columns of `slice` and of every table whose rows are slices: what each says of an event.
#pragma once

#include <string>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// In the order of slice_column_list(). Perfetto's names; the hidden ones are ours.
enum class SliceField : int {
  id,
  ts,
  dur,
  track_id,
  category,
  name,
  depth,
  parent_id,
  arg_set_id,
  cat,
  slice_id,
  thread_name,
  tid,
  utid,
  is_main_thread,
  process_name,
  pid,
  upid,
  ts_end,
  name_id,
  self_dur,
  link_id,
  lane,
  kind,
  source_offset,
};
inline constexpr int kSliceFieldCount = static_cast<int>(SliceField::source_offset) + 1;

/// With threads and processes shown, as in `thread_slice`, or hidden, as in `slice`.
std::string slice_column_list(bool with_context);

/// Whether a field is a whole number of every event.
bool numbers_add_up(SliceField field);

/// Gives values of events. Of one cursor.
class SliceValues {
 public:
  SliceValues(const QueryModel& model, QueryClock& clock) : model_(model), clock_(clock) {}
  const QueryModel& model() const { return model_; }
  QueryClock& clock() const { return clock_; }

  void give(sqlite3_context* out, SliceField field, EventNumber event);
  /// Of a field with numbers_add_up(). 0 when the clock has run out.
  std::int64_t number(SliceField field, EventNumber event);
  /// Null when the clock has run out.
  const Nesting* nesting();
  /// Asks the processor for what give() will read of the fields in `used`, bits by field.
  void prefetch(EventNumber event, std::uint64_t used) const;

 private:
  void give_thread(sqlite3_context* out, SliceField field, EventNumber event);

  const QueryModel& model_;
  QueryClock& clock_;
  const Nesting* nesting_ = nullptr;
  const Column<std::int64_t>* self_ = nullptr;
};

}  // namespace kino
