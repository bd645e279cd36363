#include "app/pages/snapshot_drawer/snapshot_tables.hpp"

#include <utility>

#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"

namespace kino {
namespace {

// Limit on the texts of stacks that can be copied or saved, in bytes.
constexpr std::uint64_t kMostStackBytes = std::uint64_t{64} << 20;
// Limit on listed allocations and events. No user looks through more rows.
constexpr std::size_t kMostListedRows = 200'000;

/// Compiles `find` as the query of a scope; an empty text means no query. Returns an error if it is invalid
/// for this snapshot, even if it is valid for another one.
std::optional<Error> read_query(SnapshotScope& scope, const std::string& find,
                                std::optional<SnapshotQuery>& query) {
  if (find.empty()) return std::nullopt;
  Result<SnapshotQuery> compiled = SnapshotQuery::compile(find, *scope.snapshot, scope.device);
  if (!compiled.ok()) return compiled.error();
  query = std::move(compiled).value();
  scope.query = &*query;
  return std::nullopt;
}

/// Compares a snapshot with the one that the query names. Keeps the other snapshot alive while it compares.
Result<Table> compare_with_other(SnapshotScope here, const TableResultQuery& question,
                                 SnapshotCategories* categories, const std::stop_token& stop) {
  const auto other = question.compared ? question.compared->snapshot.lock() : nullptr;
  if (other == nullptr) return Error{Error::Kind::not_found, msg::open_another_snapshot_to_compare};
  SnapshotScope there;
  there.snapshot = other.get();
  there.device = question.compared->device;
  there.at = question.compared->at;
  there.units = question.units;
  std::optional<SnapshotQuery> query;
  if (const auto problem = read_query(there, question.find, query)) return *problem;
  const LiveGrouping by = compared_by(question.group);
  if (by != LiveGrouping::category || categories == nullptr)
    return snapshot_comparison(there, here, by, stop, kThereAndHere);
  const auto own = categories->of(question.device, stop);
  const Result<AllocationCategories> others =
      categorize(*other, there.device, categories->rules().rules, byte_units(), stop);
  if (own == nullptr || !others.ok())
    return Error{Error::Kind::not_found, msg::a_category_rule_cannot_be_used};
  here.categories = own.get();
  there.categories = &others.value();
  return snapshot_comparison(there, here, by, stop, kThereAndHere);
}

}  // namespace

std::optional<std::uint32_t> AllocationRowStyle::color_of(const Table& table, std::uint32_t row) const {
  const AllocationId id = table.allocation_of(row);
  return id == kNoAllocation ? std::nullopt : std::optional(color_of_(id));
}

std::uint32_t AllocationRowStyle::number_color(const Table& table, std::size_t column, std::uint32_t row,
                                               const Theme& theme) const {
  const auto* numbers = std::get_if<TableColumn::Integers>(&table.columns[column].values);
  if (numbers == nullptr || table.columns[column].key != "growth_bytes") return theme.text;
  return (*numbers)[row] > 0 ? theme.warning : theme.text_dim;
}

bool AllocationRowStyle::is_marked(const Table& table, std::uint32_t row) const {
  const AllocationId id = table.allocation_of(row);
  if (id == kNoAllocation || state_.selected == kNoAllocation) return false;
  return group_of_(state_.history().allocations, id) ==
         group_of_(state_.history().allocations, state_.selected);
}

std::uint64_t AllocationRowStyle::itself(const Allocations&, AllocationId id) {
  return static_cast<std::uint64_t>(id);
}

TableResultQuery snapshot_query(const SnapshotState& state, const TableInfo& kind) {
  TableResultQuery question;
  question.kind = &kind;
  question.device = state.device_index();
  // The cursor is passed only to tables that depend on it, so that other tables are not recomputed when it
  // moves.
  if (kind.supports.moment && &kind != &kCompareTable) question.at = state.cursor;
  if (kind.supports.since && state.baseline != kNoMoment && state.baseline != state.cursor)
    question.baseline = state.baseline;
  return question;
}

TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories) {
  return [snapshot = std::move(snapshot), categories = std::move(categories)](
             const TableResultQuery& question, const std::stop_token& stop) -> Result<Table> {
    SnapshotScope scope;
    scope.snapshot = snapshot.get();
    scope.device = question.device;
    scope.at = question.at;
    scope.units = question.units;
    scope.baseline = question.baseline.value_or(kNoMoment);
    scope.most_rows = kMostListedRows;
    scope.most_stack_bytes = kMostStackBytes;
    scope.adds_largest_origin = true;
    const TableInfo& kind = *question.kind;
    std::optional<SnapshotQuery> query;
    if (const auto problem = read_query(scope, question.find, query)) return *problem;
    if (&kind == &kCompareTable) return compare_with_other(scope, question, categories.get(), stop);
    Message problem(msg::a_category_rule_cannot_be_used);
    const auto known = categories == nullptr ? nullptr : categories->of(question.device, stop, &problem);
    scope.categories = known.get();
    const std::string_view group =
        question.group < kind.groups.size() ? kind.groups[question.group].name : std::string_view();
    if (group == "category" && known == nullptr) return request_error(std::move(problem));
    return snapshot_table(scope, kind.name, group, stop);
  };
}

}  // namespace kino
