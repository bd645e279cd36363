#include "app/snapshot_tables.hpp"

#include <array>
#include <utility>
#include <vector>

#include "app/snapshot_table_command.hpp"
#include "app/texts.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMostStackBytes = std::uint64_t{64} << 20;  // of what can be copied or saved
constexpr std::size_t kMostListedRows = 200'000;  // of allocations and events: what a person can look through

/// In the order of snapshot_tab_kinds().
constexpr std::array kSnapshotTableTitles = {Text::snapshot_table_live,     Text::snapshot_table_growth,
                                             Text::snapshot_table_segments, Text::snapshot_table_allocations,
                                             Text::snapshot_table_events,   Text::snapshot_table_compare};

const char* title_of_snapshot_group(std::string_view group) {
  if (group == "allocation") return tr(Text::snapshot_by_allocation);
  if (group == "size") return tr(Text::snapshot_by_size);
  if (group == "line") return tr(Text::snapshot_by_line);
  if (group == "file") return tr(Text::snapshot_by_file);
  if (group == "function") return tr(Text::snapshot_by_function);
  if (group == "category") return tr(Text::snapshot_by_category);
  if (group == "stream") return tr(Text::snapshot_by_stream);
  if (group == "pool") return tr(Text::snapshot_by_pool);
  if (group == "segment") return tr(Text::snapshot_by_segment);
  if (group == "block") return tr(Text::snapshot_by_block);
  if (group == "step") return tr(Text::snapshot_by_step);
  return tr(Text::snapshot_by_stack);
}

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
  if (other == nullptr) return Error{Error::Kind::not_found, tr(Text::snapshot_compare_alone), kNoOffset};
  SnapshotScope there;
  there.snapshot = other.get();
  there.device = question.compared->device;
  there.at = question.compared->at;
  std::optional<SnapshotQuery> query;
  if (const auto problem = read_query(there, question.find, query)) return *problem;
  const std::string_view group = question.group < kCompareGroups.size() ? kCompareGroups[question.group] : "";
  if (group != "category" || categories == nullptr)
    return snapshot_comparison(there, here, *live_grouping(group), stop, kThereAndHere);
  const auto own = categories->of(question.device, stop);
  const Result<AllocationCategories> others =
      categorize(*other, there.device, categories->rules().rules, stop);
  if (own == nullptr || !others.ok())
    return Error{Error::Kind::not_found, tr(Text::snapshot_no_categories), kNoOffset};
  here.categories = own.get();
  there.categories = &others.value();
  return snapshot_comparison(there, here, LiveGrouping::category, stop, kThereAndHere);
}

class AllocationLook : public RowLook {
 public:
  explicit AllocationLook(const SnapshotTables::ColorOf& color_of) : color_of_(color_of) {}
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override {
    const AllocationId id = row < table.allocations.size() ? table.allocations[row] : kNoAllocation;
    return id == kNoAllocation ? std::nullopt : std::optional(color_of_(id));
  }

 private:
  const SnapshotTables::ColorOf& color_of_;
};

}  // namespace

std::span<const Text> snapshot_table_titles() { return kSnapshotTableTitles; }

std::span<const TableKind> snapshot_tab_kinds() {
  static const std::vector<TableKind> kinds = [] {
    const auto own = snapshot_table_kinds();
    std::vector<TableKind> all(own.begin(), own.end());
    all.push_back(kCompareKind);
    return all;
  }();
  return kinds;
}

TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories) {
  return [snapshot = std::move(snapshot), categories = std::move(categories)](
             const TableQuestion& question, const std::stop_token& stop) -> Result<Table> {
    SnapshotScope scope;
    scope.snapshot = snapshot.get();
    scope.device = question.device;
    scope.at = question.at;
    scope.baseline = question.baseline.value_or(kNoMoment);
    scope.most_rows = kMostListedRows;
    scope.most_stack_bytes = kMostStackBytes;
    const TableKind& kind = snapshot_tab_kinds()[question.kind];
    std::optional<SnapshotQuery> query;
    if (const auto problem = read_query(scope, question.find, query)) return *problem;
    if (kind.name == kCompareKind.name) return compare_with_other(scope, question, categories.get(), stop);
    const auto known = categories == nullptr ? nullptr : categories->of(question.device, stop);
    scope.categories = known.get();
    const std::string_view group =
        question.group < kind.groups.size() ? kind.groups[question.group] : std::string_view();
    if (group == "category" && known == nullptr)
      return Error{Error::Kind::not_found, tr(Text::snapshot_no_categories), kNoOffset};
    return snapshot_table(scope, kind.name, group, stop);
  };
}

SnapshotTables::SnapshotTables(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path path,
                               WorkerPool& pool, const std::function<void()>& wake)
    : snapshot_(std::move(snapshot)),
      wake_(wake),
      tab_({snapshot_tab_kinds(), kSnapshotTableTitles, title_of_snapshot_group},
           tables_of(snapshot_, nullptr), std::move(path), pool, wake) {}

void SnapshotTables::set_categories(std::shared_ptr<SnapshotCategories> categories) {
  tab_.set_compute(tables_of(snapshot_, std::move(categories)));
  ++rules_;
}

void SnapshotTables::update(bool shown, const SnapshotState& state, const std::string& find, bool find_events,
                            std::span<const OtherSnapshot> others) {
  compare_.update(state, others);
  const std::string_view kind = tab_.kind_name();
  TableQuestion question;
  question.rules = rules_;
  question.device = state.device_index();
  // Tables without a moment are not computed again when the cursor moves.
  const bool of_moment = kind == "live" || kind == "segments";
  question.at = of_moment ? state.cursor : kBeforeRecording;
  if (kind == "live" && state.baseline != kNoMoment && state.baseline != state.cursor)
    question.baseline = state.baseline;
  question.find = kind == "segments" || (find_events && kind != "events") ? std::string() : find;
  if (kind == kCompareKind.name) compare_.ask(state, question);
  tab_.update(shown, question);
}

SnapshotTables::Actions SnapshotTables::draw(ImVec2 size, const SnapshotState& state, const ColorOf& color_of,
                                             const Theme& theme, bool keyboard) {
  Actions actions;
  tab_.begin(size, theme, state.scale);
  // The question is put in the next frame.
  if (tab_.kind_name() == kCompareKind.name && compare_.draw(tab_, state, theme)) wake_();
  tab_.draw_group(state.scale);
  tab_.draw_filter(state.scale);
  tab_.draw_columns();
  tab_.draw_export(keyboard);
  tab_.draw_status(false, theme);
  const AllocationLook look(color_of);
  const TableGrid::Actions done = tab_.draw_rows(ImGui::GetContentRegionAvail(), look, theme, state.scale);
  if (done.go_to) {
    const Table& table = tab_.matching_rows()->answer->table;
    const AllocationId of_row =
        *done.go_to < table.allocations.size() ? table.allocations[*done.go_to] : kNoAllocation;
    if (of_row != kNoAllocation || !table.other_allocations.empty()) actions.select = of_row;
    if (*done.go_to < table.other_allocations.size()) {
      compare_.select(table.other_allocations[*done.go_to]);
      wake_();  // its pane may be drawn already
    }
    if (*done.go_to < table.moments.size()) actions.go_to = table.moments[*done.go_to];
  }
  TableTab::end();
  return actions;
}

}  // namespace kino
