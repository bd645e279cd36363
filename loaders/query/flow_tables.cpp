#include "loaders/query/flow_tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/trace/flow_links.hpp"

namespace kino {
namespace {

/// Index of a flow: first the trace's flows, then one index per slice, for the launch of GPU work.
using ArrowNumber = std::uint64_t;

enum FlowColumn : int {
  flow_id_column,
  flow_slice_out_column,
  flow_slice_in_column,
  flow_name_column,
  flow_category_column,
  flow_arg_set_column,
  flow_trace_id_column,
  flow_start_column
};

constexpr const char* kColumns =
    "id INTEGER, slice_out INTEGER, slice_in INTEGER, name TEXT, category TEXT, arg_set_id INTEGER, trace_id "
    "INTEGER";

class Arrows {
 public:
  explicit Arrows(const QueryModel& model) : model_(model), count_(model.trace().flows.size()) {}

  ArrowNumber end() const { return count_ + model_.slice_count(); }
  bool is_one(ArrowNumber arrow) const {
    if (arrow < count_) return model_.is_file_flow(static_cast<std::uint32_t>(arrow));
    return arrow < end() && model_.is_launched(work_of(arrow));
  }
  EventNumber out(ArrowNumber arrow) const {
    return index_of(arrow < count_ ? model_.trace().flows.from[arrow]
                                   : model_.trace().slices.link[work_of(arrow)]);
  }
  EventNumber in(ArrowNumber arrow) const {
    return arrow < count_ ? index_of(model_.trace().flows.to[arrow]) : work_of(arrow);
  }
  std::string_view category(ArrowNumber arrow) const {
    return arrow < count_ ? model_.trace().category_text(model_.trace().flows.category[arrow]) : "ac2g";
  }
  template <class Body>
  void for_each_from(EventNumber event, Body&& body) const {
    if (!model_.is_slice(event)) return;
    for (const std::uint32_t arrow : flows_from(model_.trace(), SliceId{event})) {
      if (model_.is_file_flow(arrow)) body(arrow);
    }
    if (model_.trace().slices.link[event] == kNoSlice || model_.is_launched(event)) return;
    for (const SliceId work : launched_by(model_.trace(), SliceId{event})) {
      if (model_.is_launched(index_of(work))) body(count_ + index_of(work));
    }
  }
  template <class Body>
  void for_each_to(EventNumber event, Body&& body) const {
    if (!model_.is_slice(event)) return;
    for (const std::uint32_t arrow : flows_to(model_.trace(), SliceId{event})) {
      if (model_.is_file_flow(arrow)) body(arrow);
    }
    if (model_.is_launched(event)) body(count_ + event);
  }

 private:
  EventNumber work_of(ArrowNumber arrow) const { return static_cast<EventNumber>(arrow - count_); }

  const QueryModel& model_;
  ArrowNumber count_;
};

class FlowCursor : public SqlCursor {
 public:
  FlowCursor(const QueryModel& model, QueryClock& clock) : model_(model), clock_(clock), arrows_(model) {}

  bool next() override {
    ++at_;
    return settle();
  }
  bool at_end() const override { return listed_ ? at_ == list_.size() : at_ >= arrows_.end(); }
  void column(sqlite3_context* out, int column) override {
    const ArrowNumber arrow = row();
    if (column == flow_id_column || column == flow_trace_id_column)
      sqlite3_result_int64(out, static_cast<std::int64_t>(arrow));
    if (column == flow_slice_out_column) sqlite3_result_int64(out, arrows_.out(arrow));
    if (column == flow_slice_in_column) sqlite3_result_int64(out, arrows_.in(arrow));
    if (column == flow_name_column || column == flow_category_column) give_text(out, arrows_.category(arrow));
    if (column == flow_start_column) sqlite3_result_int64(out, start_);
  }
  std::int64_t row_id() const override { return static_cast<std::int64_t>(row()); }

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    list_.clear();
    at_ = 0;
    listed_ = plan != 0;
    if (!listed_) return settle();
    if (plan == flow_id_column + 1) {
      const std::int64_t id = sqlite3_value_int64(values[0]);
      if (id >= 0 && arrows_.is_one(static_cast<ArrowNumber>(id)))
        list_.push_back(static_cast<ArrowNumber>(id));
      return true;
    }
    const EventNumber event = event_with_id(model_, values[0]);
    if (event == kNoEvent) return true;
    const auto add = [this](ArrowNumber arrow) { list_.push_back(arrow); };
    if (plan == flow_slice_out_column + 1) {
      arrows_.for_each_from(event, add);
    } else {
      arrows_.for_each_to(event, add);
    }
    return true;
  }

 protected:
  ArrowNumber row() const { return listed_ ? list_[at_] : at_; }
  bool settle() {
    while (!listed_ && at_ < arrows_.end() && !arrows_.is_one(at_)) {
      if (++at_ % kCancelStride == 0 && clock_.over()) return false;
    }
    return true;
  }

  /// Clears the list, which the caller then fills with the flows for `start`.
  void list_from(std::int64_t start) {
    list_.clear();
    at_ = 0;
    listed_ = true;
    start_ = start;
  }
  std::vector<ArrowNumber>& list() { return list_; }
  const QueryModel& model() const { return model_; }
  QueryClock& clock() const { return clock_; }
  const Arrows& arrows() const { return arrows_; }

 private:
  const QueryModel& model_;
  QueryClock& clock_;
  Arrows arrows_;
  bool listed_ = false;
  std::int64_t start_ = -1;
  std::vector<ArrowNumber> list_;
  ArrowNumber at_ = 0;
};

class FlowTable : public SqlTable {
 public:
  explicit FlowTable(QueryContext& context) : context_(context) {}
  std::string columns() const override { return kColumns; }
  int column_count() const override { return flow_trace_id_column + 1; }
  bool best_index(sqlite3_index_info& info) const override {
    info.estimatedCost = info.estimatedRows = 1000;
    for (const auto& model : context_.files) info.estimatedCost += model->event_count();
    info.estimatedRows = static_cast<sqlite3_int64>(info.estimatedCost / 4);
    for (int i = 0; i < info.nConstraint; ++i) {
      const auto& constraint = info.aConstraint[i];
      if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.iColumn < flow_id_column || constraint.iColumn > flow_slice_in_column) continue;
      info.aConstraintUsage[i].argvIndex = 1;
      info.idxNum = constraint.iColumn + 1;
      info.estimatedCost = 5;
      info.estimatedRows = 2;
      break;
    }
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<FlowCursor>(model, *context_.clock);
  }

 private:
  QueryContext& context_;
};

/// Follows flows from a slice.
class FlowFunctionCursor : public FlowCursor {
 public:
  FlowFunctionCursor(FlowDirection way, const QueryModel& model, QueryClock& clock)
      : FlowCursor(model, clock), way_(way) {}

  bool begin(int, const char*, std::span<sqlite3_value* const> values) override {
    list_from(sqlite3_value_int64(values[0]));
    const EventNumber event = event_with_id(model(), values[0]);
    if (event == kNoEvent) return true;
    if (way_ == FlowDirection::direct) {
      const auto add = [this](ArrowNumber arrow) { list().push_back(arrow); };
      arrows().for_each_from(event, add);
      arrows().for_each_to(event, add);
      return true;
    }
    return walk(event);
  }

 private:
  bool walk(EventNumber start) {
    const Nesting* nested = nullptr;
    std::vector<EventNumber> open{start};
    std::vector<EventNumber> seen{start};  // sorted
    const auto visit = [&](EventNumber event) {
      const auto place = std::lower_bound(seen.begin(), seen.end(), event);
      if (place != seen.end() && *place == event) return;
      seen.insert(place, event);
      open.push_back(event);
    };
    while (!open.empty()) {
      if (clock().over()) return false;
      const EventNumber event = open.back();
      open.pop_back();
      const std::size_t before = list().size();
      const auto add = [this](ArrowNumber arrow) { list().push_back(arrow); };
      if (way_ == FlowDirection::following) {
        arrows().for_each_from(event, add);
      } else {
        arrows().for_each_to(event, add);
      }
      if (nested == nullptr) nested = model().nesting(clock().stop());
      if (nested == nullptr) return false;
      for (std::size_t i = before; i < list().size(); ++i) {
        const EventNumber far =
            way_ == FlowDirection::following ? arrows().in(list()[i]) : arrows().out(list()[i]);
        visit(far);
        if (way_ == FlowDirection::following) continue;
        for (EventNumber up = nested->parent[far]; up != kNoEvent; up = nested->parent[up]) visit(up);
      }
    }
    return true;
  }

  FlowDirection way_;
};

class FlowFunctionTable : public SqlTable {
 public:
  FlowFunctionTable(FlowDirection way, QueryContext& context) : way_(way), context_(context) {}
  std::string columns() const override { return std::string(kColumns) + ", start_slice_id HIDDEN INTEGER"; }
  int column_count() const override { return flow_start_column + 1; }
  bool best_index(sqlite3_index_info& info) const override {
    return plan_search(info, flow_start_column, 4, 20, true);
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<FlowFunctionCursor>(way_, model, *context_.clock);
  }

 private:
  FlowDirection way_;
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> flow_table(QueryContext& context) { return std::make_unique<FlowTable>(context); }
std::unique_ptr<SqlTable> flow_function_table(FlowDirection way, QueryContext& context) {
  return std::make_unique<FlowFunctionTable>(way, context);
}

}  // namespace kino
