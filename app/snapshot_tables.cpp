#include "app/snapshot_tables.hpp"

#include <algorithm>
#include <cmath>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "app/snapshot_table_command.hpp"
#include "app/text_drawing.hpp"
#include "app/texts.hpp"
#include "app/widgets.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostListedRows = 200'000;  // of allocations and events: what a person can look through

/// In the order of snapshot_table_kinds().
constexpr std::array kSnapshotTableTitles = {Text::snapshot_table_live, Text::snapshot_table_growth,
                                             Text::snapshot_table_segments, Text::snapshot_table_allocations,
                                             Text::snapshot_table_events};

const char* title_of_snapshot_group(std::string_view group) {
  if (group == "allocation") return tr(Text::snapshot_by_allocation);
  if (group == "size") return tr(Text::snapshot_by_size);
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
    const TableKind& kind = snapshot_table_kinds()[question.kind];
    std::optional<SnapshotQuery> query;
    if (!question.find.empty()) {
      Result<SnapshotQuery> compiled = SnapshotQuery::compile(question.find, *snapshot, question.device);
      if (!compiled.ok()) return compiled.error();
      query = std::move(compiled).value();
      scope.query = &*query;
    }
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
      pool_(pool),
      wake_(wake),
      results_(std::make_unique<TableResults>(tables_of(snapshot_, nullptr), pool, wake)),
      export_(std::move(path), pool, wake) {}

void SnapshotTables::set_categories(std::shared_ptr<SnapshotCategories> categories) {
  results_ = std::make_unique<TableResults>(tables_of(snapshot_, std::move(categories)), pool_, wake_);
  ++question_.rules;
}

void SnapshotTables::choose(std::string_view kind, std::string_view group) {
  const auto kinds = snapshot_table_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].name != kind) continue;
    question_.kind = i;
    const auto found = std::ranges::find(kinds[i].groups, group);
    if (found != kinds[i].groups.end())
      groups_[i] = static_cast<std::size_t>(found - kinds[i].groups.begin());
  }
  kinds_.reveal();
}

void SnapshotTables::step_kind(int step) {
  const auto count = static_cast<int>(snapshot_table_kinds().size());
  question_.kind = static_cast<std::size_t>((static_cast<int>(question_.kind) + step + count) % count);
  kinds_.reveal();
}

std::string_view SnapshotTables::kind_name() const { return snapshot_table_kinds()[question_.kind].name; }
std::string_view SnapshotTables::group_name() const {
  const TableKind& kind = snapshot_table_kinds()[question_.kind];
  return kind.groups.empty() ? std::string_view() : kind.groups[groups_[question_.kind]];
}

const TableResults::Rows* SnapshotTables::matching_rows() const {
  const TableResults::Rows* rows = results_->rows();
  if (rows == nullptr) return nullptr;
  const TableQuestion& of = rows->answer->question;
  return of.kind == question_.kind && of.group == groups_[question_.kind] && of.device == question_.device
             ? rows
             : nullptr;
}

void SnapshotTables::update(bool shown, const SnapshotState& state, const std::string& find,
                            bool find_events) {
  const std::string_view kind = kind_name();
  question_.group = groups_[question_.kind];
  question_.device = state.device_index();
  // Tables without a moment are not computed again when the cursor moves.
  const bool of_moment = kind == "live" || kind == "segments";
  question_.at = of_moment ? state.cursor : kBeforeRecording;
  question_.baseline.reset();
  if (kind == "live" && state.baseline != kNoMoment && state.baseline != state.cursor)
    question_.baseline = state.baseline;
  question_.find = kind == "segments" || (find_events && kind != "events") ? std::string() : find;
  if (shown) {
    results_->ask(question_);
    results_->set_order(grid_.order(), filter_);
  }
  if (results_->update() || drawn_ != std::pair(question_.kind, shown)) sizing_frames_ = kSizingFrames;
  drawn_ = {question_.kind, shown};
  sizing_frames_ = shown ? std::max(0, sizing_frames_ - 1) : 0;
  export_.update();
}

void SnapshotTables::note_place(const char* name) {
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  controls_.emplace_back(name, ImVec2{(from.x + to.x) / 2, (from.y + to.y) / 2});
}

std::string SnapshotTables::status() const {
  if (export_.tells()) return export_.message();
  const TableResults::Rows* rows = matching_rows();
  if (results_->running()) return tr(Text::table_computing);
  if (rows == nullptr || !rows->answer->problem.empty()) return {};
  const std::size_t selected = grid_.selected(*rows).size();
  if (selected > 1) return filled(Text::table_selected, {grouped(selected)});
  const std::size_t all = rows->answer->table.row_count();
  if (rows->order.size() < all)
    return filled(Text::table_rows_of, {grouped(rows->order.size()), grouped(all)});
  return counted(Text::table_one_row, Text::table_rows, all);
}

void SnapshotTables::draw_tools(const SnapshotState& state, const Theme& theme, bool keyboard) {
  const TableKind& kind = snapshot_table_kinds()[question_.kind];
  if (!kind.groups.empty()) {
    std::size_t& group = groups_[question_.kind];
    ImGui::SetNextItemWidth(state.px(150));
    if (ImGui::BeginCombo("##group", title_of_snapshot_group(kind.groups[group]))) {
      for (std::size_t i = 0; i < kind.groups.size(); ++i) {
        if (ImGui::Selectable(title_of_snapshot_group(kind.groups[i]), i == group)) group = i;
      }
      ImGui::EndCombo();
    }
    note_place("group");
    ImGui::SameLine();
  }
  ImGui::SetNextItemWidth(std::min(state.px(180), ImGui::GetContentRegionAvail().x * 0.3F));
  if (ImGui::InputTextWithHint("##filter", tr(Text::table_filter), filter_text_.data(),
                               filter_text_.size())) {
    filter_ = filter_text_.data();
    wake_();
  }
  note_place("filter");
  ImGui::SameLine();
  const TableResults::Rows* rows = matching_rows();
  if (flat_button(with_id(Text::table_columns, "columns").c_str(), tr(Text::table_columns_hint)))
    ImGui::OpenPopup("column_menu");
  note_place("columns");
  ImGui::SameLine();
  if (ImGui::BeginPopup("column_menu")) {
    if (!popup_closed_by_escape()) {
      if (rows != nullptr) grid_.draw_column_items(rows->answer->table);
      ImGui::EndPopup();
    }
  }
  export_.draw_button(rows, [this](const char* name) { note_place(name); });
  const ImGuiIO& io = ImGui::GetIO();
  if (keyboard && !io.WantTextInput && io.KeyCtrl && !io.KeyShift && key_pressed('C') && rows != nullptr) {
    const std::vector<std::uint32_t> selected = grid_.selected(*rows);
    export_.start(*rows, TableFormat::csv, false, selected.empty() ? rows->order : selected);
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, theme.text_dim, status(), Elide::middle);
  ImGui::NewLine();
}

SnapshotTables::Actions SnapshotTables::draw_content(ImVec2 size, const SnapshotState& state,
                                                     const ColorOf& color_of, const Theme& theme) {
  Actions actions;
  const TableResults::Rows* rows = matching_rows();
  if (rows == nullptr) return actions;
  const Table& table = rows->answer->table;
  if (!rows->answer->problem.empty()) {
    wrapped_text(theme.text_dim, rows->answer->problem);
    return actions;
  }
  const float notes = table.notes.empty() ? 0 : ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
  if (table.row_count() == 0) {
    wrapped_text(theme.text_dim, tr(Text::table_empty));
  } else {
    const AllocationLook look(color_of);
    const TableGrid::Actions done =
        grid_.draw(*rows, look, {size.x, std::max(1.0F, size.y - notes)}, theme, state.scale);
    if (done.go_to && *done.go_to < table.allocations.size()) actions.select = table.allocations[*done.go_to];
    if (done.go_to && *done.go_to < table.moments.size()) actions.go_to = table.moments[*done.go_to];
  }
  draw_table_notes(table, theme, state.scale);
  return actions;
}

SnapshotTables::Actions SnapshotTables::draw(ImVec2 size, const SnapshotState& state, const ColorOf& color_of,
                                             const Theme& theme, bool keyboard) {
  controls_.clear();
  const float gap = state.px(10);
  const ImVec2 list{std::round(std::min(state.px(150), size.x / 4)), size.y};
  if (const auto chosen = kinds_.draw(kSnapshotTableTitles, question_.kind, list, theme, state.scale))
    question_.kind = *chosen;
  ImGui::SameLine(0, gap);
  ImGui::BeginChild("table", {0, size.y}, false, ImGuiWindowFlags_NoScrollbar);
  draw_tools(state, theme, keyboard);
  const Actions actions = draw_content(ImGui::GetContentRegionAvail(), state, color_of, theme);
  ImGui::EndChild();
  return actions;
}

}  // namespace kino
