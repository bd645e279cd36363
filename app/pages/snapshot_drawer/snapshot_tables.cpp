#include "app/pages/snapshot_drawer/snapshot_tables.hpp"

#include <utility>
#include <vector>

#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/memory/tables/snapshot_table_kinds.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostStackBytes = std::uint64_t{64} << 20;  // of what can be copied or saved
constexpr std::size_t kMostListedRows = 200'000;  // of allocations and events: what a person can look through

/// A query that is known to mean something in one snapshot need not in another.
std::optional<Error> read_query(SnapshotScope& scope, const std::string& find,
                                std::optional<SnapshotQuery>& query) {
  if (find.empty()) return std::nullopt;
  Result<SnapshotQuery> compiled = SnapshotQuery::compile(find, *scope.snapshot, scope.device);
  if (!compiled.ok()) return compiled.error();
  query = std::move(compiled).value();
  scope.query = &*query;
  return std::nullopt;
}

/// The other snapshot lives as long as this takes.
Result<Table> compare_with_other(SnapshotScope here, const TableQuestion& question,
                                 SnapshotCategories* categories, const std::stop_token& stop) {
  const auto other = question.compared ? question.compared->snapshot.lock() : nullptr;
  if (other == nullptr) return Error{Error::Kind::not_found, tr(Text::snapshot_compare_alone)};
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
  if (own == nullptr || !others.ok()) return Error{Error::Kind::not_found, tr(Text::snapshot_no_categories)};
  here.categories = own.get();
  there.categories = &others.value();
  return snapshot_comparison(there, here, by, stop, kThereAndHere);
}

class AllocationLook : public RowLook {
 public:
  explicit AllocationLook(const SnapshotTables::ColorOf& color_of) : color_of_(color_of) {}
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override {
    const AllocationId id = table.allocation_of(row);
    return id == kNoAllocation ? std::nullopt : std::optional(color_of_(id));
  }

 private:
  const SnapshotTables::ColorOf& color_of_;
};

}  // namespace

TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories) {
  return [snapshot = std::move(snapshot), categories = std::move(categories)](
             const TableQuestion& question, const std::stop_token& stop) -> Result<Table> {
    SnapshotScope scope;
    scope.snapshot = snapshot.get();
    scope.device = question.device;
    scope.at = question.at;
    scope.units = question.units;
    scope.baseline = question.baseline.value_or(kNoMoment);
    scope.most_rows = kMostListedRows;
    scope.most_stack_bytes = kMostStackBytes;
    const TableInfo& kind = *question.kind;
    std::optional<SnapshotQuery> query;
    if (const auto problem = read_query(scope, question.find, query)) return *problem;
    if (&kind == &kCompareTable) return compare_with_other(scope, question, categories.get(), stop);
    const auto known = categories == nullptr ? nullptr : categories->of(question.device, stop);
    scope.categories = known.get();
    const std::string_view group =
        question.group < kind.groups.size() ? kind.groups[question.group].name : std::string_view();
    if (group == "category" && known == nullptr)
      return Error{Error::Kind::not_found, tr(Text::snapshot_no_categories)};
    return snapshot_table(scope, kind.name, group, stop);
  };
}

SnapshotTables::SnapshotTables(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path path,
                               WorkerPool& pool, const std::function<void()>& wake)
    : snapshot_(std::move(snapshot)),
      wake_(wake),
      tab_(snapshot_table_kinds(), tables_of(snapshot_, nullptr), std::move(path), pool, wake) {}

void SnapshotTables::set_categories(std::shared_ptr<SnapshotCategories> categories) {
  tab_.set_compute(tables_of(snapshot_, std::move(categories)));
  ++rules_;
}

void SnapshotTables::update(bool shown, const SnapshotState& state, const std::string& find, bool find_events,
                            std::span<const OtherSnapshot> others) {
  compare_.update(state, others);
  const TableInfo& kind = tab_.kind();
  const bool compared = &kind == &kCompareTable;
  TableQuestion question;
  question.rules = rules_;
  question.device = state.device_index();
  // Tables without a moment are not computed again when the cursor moves.
  question.at = kind.supports.moment && !compared ? state.cursor : kBeforeRecording;
  if (kind.supports.since && state.baseline != kNoMoment && state.baseline != state.cursor)
    question.baseline = state.baseline;
  question.find = kind.supports.find && (!find_events || kind.supports.actions) ? find : std::string();
  if (compared) compare_.ask(state, question);
  tab_.update(shown, question);
}

SnapshotTables::Actions SnapshotTables::draw(ImVec2 size, const SnapshotState& state, const ColorOf& color_of,
                                             const Theme& theme, bool keyboard) {
  Actions actions;
  tab_.begin(size, theme, state.scale);
  // The question is put in the next frame.
  if (&tab_.kind() == &kCompareTable && compare_.draw(tab_, state, theme)) wake_();
  tab_.draw_group(state.scale);
  tab_.draw_filter(state.scale);
  tab_.draw_columns();
  tab_.draw_export(keyboard);
  tab_.draw_status(false, theme);
  const AllocationLook look(color_of);
  const TableGrid::Actions done = tab_.draw_rows(ImGui::GetContentRegionAvail(), look, theme, state.scale);
  if (done.go_to) {
    const Table& table = tab_.matching_rows()->answer->table;
    const AllocationId own = table.allocation_of(*done.go_to);
    const bool compared = &tab_.kind() == &kCompareTable;
    if (own != kNoAllocation || compared) actions.select = own;
    if (compared) {
      compare_.select(table.allocation_of(*done.go_to, 1));
      wake_();  // its pane may be drawn already
    }
    if (const RowLink* const moment = table.link_of(*done.go_to, RowLink::Kind::moment))
      actions.go_to = moment->moment();
  }
  TableTab::end();
  return actions;
}

}  // namespace kino
