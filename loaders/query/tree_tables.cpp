#include "loaders/query/tree_tables.hpp"

#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/trace/row_window.hpp"
#include "loaders/query/slice_columns.hpp"

namespace kino {
namespace {

// Column of the argument, which must come first: SQL assigns arguments to hidden columns in their order.
constexpr int kStartColumn = 0;
constexpr int kFieldsBegin = 1;

class TreeCursor : public IndexedCursor {
 public:
  TreeCursor(bool up, const QueryModel& model, QueryClock& clock) : up_(up), values_(model, clock) {}

  bool begin(int, const char*, std::span<sqlite3_value* const> values) override {
    events_.clear();
    row_index = 0;
    start_ = sqlite3_value_int64(values[0]);
    const EventNumber start = event_with_id(values_.model(), values[0]);
    if (start == kNoEvent) return true;
    const Nesting* const nested = values_.nesting();
    if (nested == nullptr) return false;
    return up_ ? find_ancestors(*nested, start) : find_descendants(*nested, start);
  }

  bool at_end() const override { return row_index == events_.size(); }
  void column(sqlite3_context* out, int column) override {
    if (column == kStartColumn) return sqlite3_result_int64(out, start_);
    values_.give(out, static_cast<SliceField>(column - kFieldsBegin), events_[row_index]);
  }
  std::int64_t row_id() const override { return events_[row_index]; }

 private:
  bool find_ancestors(const Nesting& nested, EventNumber start) {
    for (EventNumber event = nested.parent[start]; event != kNoEvent; event = nested.parent[event])
      events_.push_back(event);
    return true;
  }

  bool find_descendants(const Nesting& nested, EventNumber start) {
    const QueryModel& model = values_.model();
    const Trace& trace = model.trace();
    const QueryTrack& track = nested.tracks[nested.track[start]];
    const std::vector<TrackId> async{track.source};
    const std::vector<TrackId>& sources =
        track.thread == QueryTrack::kNoThread ? async : model.threads()[track.thread].sources;
    for (const TrackId id : sources) {
      const Track& source = trace.track(id);
      for (std::uint32_t r = source.first_row; r < source.first_row + source.row_count; ++r) {
        const Row& row = trace.rows[r];
        for (EventNumber event = first_start_at(trace, row, model.start_ns(start));
             event < row.first_slice + row.slice_count && model.start_ns(event) <= model.end_ns(start);
             ++event) {
          if (!take(nested, start, event)) return false;
        }
      }
      for (std::uint32_t i = 0; i < source.instant_count; ++i) {
        const EventNumber event = model.slice_count() + source.first_instant + i;
        if (model.start_ns(event) < model.start_ns(start)) continue;
        if (model.start_ns(event) > model.end_ns(start)) break;
        if (!take(nested, start, event)) return false;
      }
    }
    return true;
  }

  bool take(const Nesting& nested, EventNumber start, EventNumber event) {
    if (++looked_ % 4096 == 0 && values_.clock().over()) return false;
    if (nested.depth[event] <= nested.depth[start] || nested.track[event] != nested.track[start]) return true;
    EventNumber up = nested.parent[event];
    while (up != kNoEvent && nested.depth[up] > nested.depth[start]) up = nested.parent[up];
    if (up == start) events_.push_back(event);
    return true;
  }

  bool up_;
  SliceValues values_;
  std::int64_t start_ = -1;
  std::uint64_t looked_ = 0;
  std::vector<EventNumber> events_;
};

class TreeTable : public SqlTable {
 public:
  TreeTable(bool up, QueryContext& context) : up_(up), context_(context) {}

  std::string columns() const override { return "start_id HIDDEN INTEGER, " + slice_column_list(false); }
  int column_count() const override { return kFieldsBegin + kSliceFieldCount; }
  bool best_index(sqlite3_index_info& info) const override {
    return plan_search(info, kStartColumn, up_ ? 8 : 100, up_ ? 10 : 200, true);
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<TreeCursor>(up_, model, *context_.clock);
  }

 private:
  bool up_;
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> ancestor_slice_table(QueryContext& context) {
  return std::make_unique<TreeTable>(true, context);
}
std::unique_ptr<SqlTable> descendant_slice_table(QueryContext& context) {
  return std::make_unique<TreeTable>(false, context);
}

}  // namespace kino
