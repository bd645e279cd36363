#include "loaders/query/listed_table.hpp"

#include <algorithm>
#include <utility>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

class ListedCursor : public SqlCursor {
 public:
  ListedCursor(const ListedRows& rows, const QueryModel& model, QueryClock& clock)
      : rows_(rows), model_(model), clock_(clock) {}

  bool begin(int plan, const char*, std::span<sqlite3_value* const> values) override {
    at_ = 0;
    end_ = 0;
    if (!rows_.count(model_, clock_, end_)) return false;
    if (plan == 0) return true;
    const std::int64_t number = sqlite3_value_int64(values[0]);
    const bool valid = sqlite3_value_type(values[0]) != SQLITE_NULL && number >= 0;
    if (valid && rows_.of_number) {
      rows_.of_number(model_, static_cast<std::uint64_t>(number), at_, end_);
      return true;
    }
    const bool exists = valid && static_cast<std::uint64_t>(number) < end_;
    at_ = exists ? static_cast<std::uint64_t>(number) : 0;
    end_ = exists ? at_ + 1 : 0;
    return true;
  }
  bool next() override { return ++at_ % kCancelStride != 0 || !clock_.over(); }
  bool at_end() const override { return at_ >= end_; }
  void column(sqlite3_context* out, int column) override { rows_.give(out, model_, clock_, at_, column); }
  std::int64_t row_id() const override { return static_cast<std::int64_t>(at_); }

 private:
  const ListedRows& rows_;
  const QueryModel& model_;
  QueryClock& clock_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
};

class ListedTable : public SqlTable {
 public:
  ListedTable(ListedRows rows, QueryContext& context) : rows_(std::move(rows)), context_(context) {}
  std::string columns() const override { return rows_.columns; }
  int column_count() const override { return rows_.column_count; }
  bool of_one_file() const override { return rows_.of_one_file; }
  bool best_index(sqlite3_index_info& info) const override {
    std::uint64_t most = 1000;
    for (const auto& model : context_.files) {
      // Estimates from numbers that are already known: a plan must not compute tables.
      most = std::max<std::uint64_t>(most, model->event_count() / 64);
    }
    info.estimatedRows = static_cast<sqlite3_int64>(most);
    info.estimatedCost = static_cast<double>(most);
    if (rows_.number_column >= 0 && plan_search(info, rows_.number_column, 1, 1) && !rows_.of_number)
      info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return true;
  }
  std::int64_t rows_of_plan(const sqlite3_index_info& info) const override {
    if (info.idxNum != 0) return 1;
    // Counts the rows of only one file: the other files may never be read.
    std::uint64_t count = 0;
    const bool counted =
        !context_.files.empty() && rows_.count(*context_.files.front(), *context_.clock, count);
    return counted ? static_cast<std::int64_t>(count) : info.estimatedRows;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<ListedCursor>(rows_, model, *context_.clock);
  }

 private:
  ListedRows rows_;
  QueryContext& context_;
};

}  // namespace

std::unique_ptr<SqlTable> listed_table(ListedRows rows, QueryContext& context) {
  return std::make_unique<ListedTable>(std::move(rows), context);
}

}  // namespace kino
