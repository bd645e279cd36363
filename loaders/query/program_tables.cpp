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

/// A built-in table in one of its groupings. An empty `group` is the default one.
struct TableVariant {
  std::string name;
  std::string group;
  auto operator<=>(const TableVariant&) const = default;  // NOLINT(modernize-use-nullptr): false positive
};

/// Tables of one file, stored with its model.
class ProgramTables {
 public:
  ProgramTables(const QueryModel& model, const QueryLimits& limits)
      : model_(model), analyses_(model.trace(), limits.work_rules) {}

  /// Returns a table; null if it cannot be computed, or if stopped.
  const Table* table(const TableVariant& variant, const QueryClock& clock) const {
    const std::lock_guard lock(mutex_);
    const auto known = tables_.find(variant);
    if (known != tables_.end()) return known->second.get();
    Result<Table> made = computed(variant, clock);
    if (!made.ok() || clock.stop().stop_requested()) return nullptr;
    return tables_.emplace(variant, std::make_unique<const Table>(std::move(made.value())))
        .first->second.get();
  }

 private:
  Result<Table> computed(const TableVariant& variant, const QueryClock& clock) const {
    TableRequest request;
    request.name = variant.name;
    request.group = variant.group;
    request.units = clock.limits().units;
    if (!is_of_snapshots(variant.name)) return compute_table(analyses_, request, clock.stop());
    if (model_.snapshot() == nullptr) return request_error("It is a table of snapshots");
    return compute_snapshot_table(*model_.snapshot(), request, CategoryRuleSet{});
  }

  const QueryModel& model_;
  mutable std::mutex mutex_;
  RangeAnalyses analyses_;
  mutable std::map<TableVariant, std::unique_ptr<const Table>> tables_;  // guarded by mutex_
};

/// Needed because stored data is returned by value, but a ProgramTables cannot be moved.
struct KeptTables {
  std::shared_ptr<const ProgramTables> tables;
};

const Table* table_of(const QueryModel& model, const TableVariant& variant, const QueryClock& clock) {
  const auto* const kept = model.kept<KeptTables>(
      clock.stop(), [&] { return KeptTables{std::make_shared<const ProgramTables>(model, clock.limits())}; });
  return kept == nullptr ? nullptr : kept->tables->table(variant, clock);
}

class ProgramCursor : public IndexedCursor {
 public:
  ProgramCursor(const TableVariant& variant, const Table& declared, const QueryModel& model,
                QueryClock& clock)
      : variant_(variant), declared_(declared), model_(model), clock_(clock) {}

  bool begin(int, const char*, std::span<sqlite3_value* const>) override {
    row_index = 0;
    table_ = table_of(model_, variant_, clock_);
    if (table_ != nullptr) return true;
    if (!clock_.over()) failure = "The table " + variant_.name + " cannot be computed for this file";
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
  const TableVariant& variant_;
  const Table& declared_;
  const QueryModel& model_;
  QueryClock& clock_;
  const Table* table_ = nullptr;
};

class ProgramTable : public SqlTable {
 public:
  ProgramTable(TableVariant variant, QueryContext& context)
      : variant_(std::move(variant)), context_(context) {}

  std::string columns() const override {
    std::string list;
    for (const TableColumn& column : declared().columns)
      list += "\"" + column.key + (column.is_text() ? "\" TEXT, " : "\", ");
    return list + (is_of_snapshots(variant_.name) ? "allocation_id INTEGER" : "slice_id INTEGER");
  }
  int column_count() const override { return static_cast<int>(declared().columns.size()) + 1; }
  bool best_index(sqlite3_index_info& info) const override {
    info.estimatedRows = static_cast<sqlite3_int64>(declared().row_count());
    info.estimatedCost = static_cast<double>(declared().row_count() + 1);
    return true;
  }
  std::unique_ptr<SqlCursor> open(const QueryModel& model, std::uint32_t) const override {
    return std::make_unique<ProgramCursor>(variant_, declared(), model, *context_.clock);
  }

 private:
  /// Returns the first file's table, which defines the columns. If there are no files, there are no columns.
  const Table& declared() const {
    static const Table kNone;
    if (declared_ == nullptr && !context_.files.empty())
      declared_ = table_of(*context_.files.front(), variant_, *context_.clock);
    return declared_ == nullptr ? kNone : *declared_;
  }

  TableVariant variant_;
  QueryContext& context_;
  mutable const Table* declared_ = nullptr;  // used only by the connection's thread
};

}  // namespace

int register_program_tables(sqlite3* database, QueryContext& context) {
  std::vector<TableVariant> variants;
  for (const TableInfo* const kind : table_kinds()) {
    variants.push_back({std::string(kind->name), {}});
    for (const TableGroup& group : kind->groups.subspan(kind->groups.empty() ? 0 : 1))
      variants.push_back({std::string(kind->name), std::string(group.name)});
  }
  for (const TableInfo* const kind : snapshot_table_kinds()) {
    if (kind != &kCompareTable) variants.push_back({std::string(kind->name), {}});
  }
  for (TableVariant& variant : variants) {
    std::string name = "table_" + variant.name + (variant.group.empty() ? "" : "_") + variant.group;
    std::ranges::replace(name, '-', '_');
    const int code = register_table(database, name.c_str(),
                                    std::make_unique<ProgramTable>(std::move(variant), context), context);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace kino
