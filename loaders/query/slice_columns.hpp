// Columns of `slice` and of all tables whose rows are slices.
#pragma once

#include <string>

#include "loaders/query/virtual_table.hpp"

namespace kino {

/// Columns in the order of slice_column_list(), with Perfetto's names. Hidden columns are additions to
/// Perfetto's.
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

/// Returns the columns for CREATE TABLE. If `with_context`, the columns of threads and processes are visible,
/// as in `thread_slice`; in `slice` they are hidden.
std::string slice_column_list(bool with_context);

/// Returns whether the field can be summed up. If so, it is an integer for every event.
bool numbers_add_up(SliceField field);

/// Provides the values of events. Used by one cursor.
class SliceValues {
 public:
  SliceValues(const QueryModel& model, QueryClock& clock) : model_(model), clock_(clock) {}
  const QueryModel& model() const { return model_; }
  QueryClock& clock() const { return clock_; }

  void give(sqlite3_context* out, SliceField field, EventNumber event);
  /// Returns the value of a field for which numbers_add_up(); 0 if stopped.
  std::int64_t number(SliceField field, EventNumber event);
  /// Returns the nesting; null if stopped.
  const Nesting* nesting();
  /// Prefetches the columns that give() reads for the fields in `used`, one bit per field.
  void prefetch(EventNumber event, std::uint64_t used) const;

 private:
  void give_thread(sqlite3_context* out, SliceField field, EventNumber event);

  const QueryModel& model_;
  QueryClock& clock_;
  const Nesting* nesting_ = nullptr;
  const Column<std::int64_t>* self_ = nullptr;
};

}  // namespace kino
