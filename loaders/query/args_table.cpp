#include "loaders/query/args_table.hpp"

#include <string>
#include <vector>

#include "loaders/query/argument_values.hpp"

namespace kino {
namespace {

enum ArgsColumn : int {
  args_id_column,
  args_arg_set_id_column,
  args_flat_key_column,
  args_key_column,
  args_int_value_column,
  args_string_value_column,
  args_real_value_column,
  args_value_type_column,
  args_display_column
};

struct ArgsRow {
  std::string key;
  std::string flat_key;
  ArgumentValue value;
};

class ArgsCursor : public SqlCursor {
 public:
  ArgsCursor(const QueryModel& model, QueryContext& context)
      : model_(model), context_(context), clock_(*context.clock) {}

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    rows_.clear();
    at_ = 0;
    place_ = 0;
    end_ = 0;
    order_ = nullptr;
    if (plan != 0) {
      const EventNumber event = event_with_id(model_, values[0]);
      return event == kNoEvent || read(event);
    }
    order_ = model_.by_place(clock_.stop());
    if (order_ == nullptr) return false;
    end_ = model_.details() != nullptr ? order_->size() : 0;
    return fill();
  }

  bool next() override {
    ++at_;
    return at_ < rows_.size() || fill();
  }
  bool at_end() const override { return at_ >= rows_.size(); }
  void column(sqlite3_context* out, int column) override {
    const ArgsRow& row = rows_[at_];
    const ArgumentValue& value = row.value;
    switch (column) {
      case args_id_column:
        return sqlite3_result_int64(out, row_id());
      case args_arg_set_id_column:
        return sqlite3_result_int64(out, event_);
      case args_flat_key_column:
        return give_copy(out, row.flat_key);
      case args_key_column:
        return give_copy(out, row.key);
      case args_value_type_column:
        return give_text(out, text_of(value.type));
      default:
        break;
    }
    const auto shows = [&](ArgsColumn own) { return column == own || column == args_display_column; };
    using Type = ArgumentValue::Type;
    const bool whole = value.type == Type::integer || value.type == Type::boolean;
    if (whole && shows(args_int_value_column)) sqlite3_result_int64(out, value.integer);
    if (value.type == Type::real && shows(args_real_value_column)) sqlite3_result_double(out, value.real);
    if (value.type == Type::text && shows(args_string_value_column)) give_copy(out, value.text);
  }
  std::int64_t row_id() const override {
    return (static_cast<std::int64_t>(event_) << 20) + static_cast<std::int64_t>(at_);
  }

 private:
  /// Advances to the next event that has arguments. Returns false on a read error, or if the clock has run
  /// out.
  bool fill() {
    while (place_ < end_) {
      if (place_ % 256 == 0 && clock_.over()) return false;
      if (!read((*order_)[place_++])) return false;
      if (!rows_.empty()) return true;
    }
    rows_.clear();
    at_ = 0;
    return true;
  }

  bool read(EventNumber event) {
    rows_.clear();
    at_ = 0;
    event_ = event;
    if (model_.details() == nullptr) return true;
    ++context_.texts_read;
    const Result<std::string> json = model_.details()->arguments_json(model_.event_ref(event));
    if (!json.ok()) {
      failure = json.error().what.str();
      return false;
    }
    flatten_arguments(json.value(),
                      [&](const std::string& key, const std::string& flat, const ArgumentValue& value) {
                        rows_.push_back({key, flat, value});
                        return true;
                      });
    return true;
  }

  const QueryModel& model_;
  QueryContext& context_;
  QueryClock& clock_;
  const Column<EventNumber>* order_ = nullptr;
  std::size_t place_ = 0;
  std::size_t end_ = 0;
  EventNumber event_ = 0;
  std::vector<ArgsRow> rows_;  // arguments of event_
  std::size_t at_ = 0;
};

class ArgsTable : public SqlTable {
 public:
  explicit ArgsTable(QueryContext& context) : context_(context) {}
  std::string columns() const override {
    return "id INTEGER, arg_set_id INTEGER, flat_key TEXT, key TEXT, int_value INTEGER, string_value TEXT, "
           "real_value REAL, value_type TEXT, display_value";
  }
  int column_count() const override { return args_display_column + 1; }
  bool best_index(sqlite3_index_info& info) const override {
    // Estimates a full scan. Its cost per event is low, since reading in file order is cheaper than single
    // look-ups.
    constexpr std::int64_t kRowsPerEvent = 8;
    double events = 1;
    for (const auto& model : context_.files) events += model->event_count();
    info.estimatedCost = events * 20;
    info.estimatedRows = static_cast<sqlite3_int64>(events) * kRowsPerEvent;
    plan_search(info, args_arg_set_id_column, kRowsPerEvent, 100);
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<ArgsCursor>(model, context_);
  }

 private:
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> args_table(QueryContext& context) { return std::make_unique<ArgsTable>(context); }

}  // namespace kino
