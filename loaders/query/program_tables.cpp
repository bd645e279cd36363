#include "loaders/query/program_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/memory/tables/snapshot_table_kinds.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"
#include "core/tables/table_request.hpp"

namespace kino {
namespace {

bool is_of_snapshots(std::string_view name) { return kind_named(snapshot_table_kinds(), name) != nullptr; }

/// Stored with its model.
class ProgramTables {
 public:
  ProgramTables(const QueryModel& model, const QueryLimits& limits)
      : model_(model), analyses_(model.trace(), limits.work_rules) {}

  /// Returns a table; null if it cannot be computed, or if stopped.
  const Table* table(const std::string& name, const QueryClock& clock) const {
    const std::lock_guard lock(mutex_);
    const auto known = tables_.find(name);
    if (known != tables_.end()) return known->second.get();
    Result<Table> made = computed(name, clock);
    if (!made.ok() || clock.stop().stop_requested()) return nullptr;
    return tables_.emplace(name, std::make_unique<const Table>(std::move(made.value()))).first->second.get();
  }

 private:
  Result<Table> computed(const std::string& name, const QueryClock& clock) const {
    TableRequest request;
    request.name = name;
    request.units = clock.limits().units;
    if (!is_of_snapshots(name)) return compute_table(analyses_, request, clock.stop());
    if (model_.snapshot() == nullptr) return request_error("It is a table of snapshots");
    return compute_snapshot_table(*model_.snapshot(), request, CategoryRuleSet{});
  }

  const QueryModel& model_;
  mutable std::mutex mutex_;
  RangeAnalyses analyses_;
  mutable std::map<std::string, std::unique_ptr<const Table>> tables_;  // guarded by mutex_
};

/// Needed because stored data is returned by value, but a ProgramTables cannot be moved.
struct KeptTables {
  std::shared_ptr<const ProgramTables> tables;
};

const Table* table_of(const QueryModel& model, const std::string& name, const QueryClock& clock) {
  const auto* const kept = model.kept<KeptTables>(
      clock.stop(), [&] { return KeptTables{std::make_shared<const ProgramTables>(model, clock.limits())}; });
  return kept == nullptr ? nullptr : kept->tables->table(name, clock);
}

class ProgramCursor : public IndexedCursor {
 public:
  ProgramCursor(const std::string& name, const Table& declared, const QueryModel& model, QueryClock& clock)
      : name_(name), declared_(declared), model_(model), clock_(clock) {}

  bool begin(int, const char*, std::span<sqlite3_value* const>) override {
    row_index = 0;
    table_ = table_of(model_, name_, clock_);
    if (table_ != nullptr) return true;
    if (!clock_.over()) failure = "The table " + name_ + " cannot be made of this file";
    return false;
  }
  bool at_end() const override { return row_index >= table_->row_count(); }

  void column(sqlite3_context* out, int column) override {
    const auto number = static_cast<std::size_t>(column);
    if (number == declared_.columns.size()) {
      const auto row = static_cast<std::uint32_t>(row_index);
      const SliceId slice = table_->slice_of(row);
      const AllocationId allocation = table_->allocation_of(row);
      if (slice != kNoSlice) sqlite3_result_int64(out, index_of(slice));
      if (allocation != kNoAllocation) sqlite3_result_int64(out, index_of(allocation));
      return;
    }
    // Other files may lack columns.
    const TableColumn* const own =
        table_ == &declared_ ? &table_->columns[number] : table_->find(declared_.columns[number].key);
    if (own == nullptr) return;
    if (const auto* const texts = std::get_if<TableColumn::Texts>(&own->values)) {
      give_text(out, (*texts)[row_index]);
    } else if (const auto* const numbers = std::get_if<TableColumn::Numbers>(&own->values)) {
      if (!std::isnan((*numbers)[row_index])) sqlite3_result_double(out, (*numbers)[row_index]);
    } else if (const std::int64_t whole = std::get<TableColumn::Integers>(own->values)[row_index];
               whole != kNoInteger) {
      sqlite3_result_int64(out, whole);
    }
  }

 private:
  const std::string& name_;
  const Table& declared_;
  const QueryModel& model_;
  QueryClock& clock_;
  const Table* table_ = nullptr;
};

class ProgramTable : public SqlTable {
 public:
  ProgramTable(std::string name, QueryContext& context) : name_(std::move(name)), context_(context) {}

  std::string columns() const override {
    std::string list;
    for (const TableColumn& column : declared().columns)
      list += "\"" + column.key + (column.is_text() ? "\" TEXT, " : "\", ");
    return list + (is_of_snapshots(name_) ? "allocation_id INTEGER" : "slice_id INTEGER");
  }
  int column_count() const override { return static_cast<int>(declared().columns.size()) + 1; }
  bool best_index(sqlite3_index_info& info) const override {
    info.estimatedRows = static_cast<sqlite3_int64>(declared().row_count());
    info.estimatedCost = static_cast<double>(declared().row_count() + 1);
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<ProgramCursor>(name_, declared(), model, *context_.clock);
  }

 private:
  /// Returns the first file's table, which defines the columns. If there are no files, there are no columns.
  const Table& declared() const {
    static const Table kNone;
    if (declared_ == nullptr && !context_.files.empty())
      declared_ = table_of(*context_.files.front(), name_, *context_.clock);
    return declared_ == nullptr ? kNone : *declared_;
  }

  std::string name_;
  QueryContext& context_;
  mutable const Table* declared_ = nullptr;  // used only by the connection's thread
};

}  // namespace

int register_program_tables(sqlite3* database, QueryContext& context) {
  std::vector<const TableInfo*> kinds(table_kinds().begin(), table_kinds().end());
  for (const TableInfo* const kind : snapshot_table_kinds()) {
    if (kind != &kCompareTable) kinds.push_back(kind);
  }
  for (const TableInfo* const kind : kinds) {
    std::string name = "table_" + std::string(kind->name);
    std::ranges::replace(name, '-', '_');
    const int code = register_table(
        database, name.c_str(), std::make_unique<ProgramTable>(std::string(kind->name), context), context);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace kino
