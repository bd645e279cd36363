#include "app/ui/tables/table_tab.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <imgui_stdlib.h>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/time_column.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/column_totals.hpp"
#include "core/tables/gpu/time_base.hpp"

namespace kino {
namespace {

/// Returns the format of the times of a column, so that totals have the unit of the cells.
std::optional<TimeColumn> format_of(const SelectedRows& selected, const TableGrid& grid, std::size_t column) {
  const bool same = selected.answer == grid.answer() && column < grid.time_formats().size();
  return same ? grid.time_formats()[column] : std::nullopt;
}

/// Returns the number of selected rows, and the sums of the first columns whose values can be added.
std::string selection_text(const SelectedRows& selected, const TableGrid& grid) {
  constexpr int kSums = 3;
  std::string text = filled(Text::table_selected, {grouped(selected.rows.size())});
  int sums = 0;
  for (std::size_t i = 0; i < selected.totals.size() && sums < kSums; ++i) {
    const TableColumn& column = selected.answer->table.columns[i];
    if (!adds_up(column) || column.export_only) continue;
    text += "  \xC2\xB7  " + shown_title(selected.answer->table, column) + " " +
            number_text_in(format_of(selected, grid, i), column, selected.totals[i].sum);
    ++sums;
  }
  return text;
}

void draw_totals(const SelectedRows& selected, const TableGrid& grid, const Theme& theme) {
  ImGui::BeginTooltip();
  if (ImGui::BeginTable("totals", 5, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    for (const Text title : {Text::table_sum, Text::table_mean, Text::table_minimum, Text::table_maximum}) {
      ImGui::TableNextColumn();
      colored_text(theme.text_dim, tr(title));
    }
    for (std::size_t i = 0; i < selected.totals.size(); ++i) {
      const TableColumn& column = selected.answer->table.columns[i];
      const ColumnTotals& totals = selected.totals[i];
      const std::optional<TimeColumn> format = format_of(selected, grid, i);
      if (column.is_text() || column.export_only || totals.count == 0) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colored_text(theme.text, shown_title(selected.answer->table, column));
      ImGui::TableNextColumn();
      if (adds_up(column)) right_aligned_text(theme.text, number_text_in(format, column, totals.sum));
      for (const double value : {totals.mean(), totals.least, totals.greatest}) {
        ImGui::TableNextColumn();
        right_aligned_text(theme.text, number_text_in(format, column, value));
      }
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace

TableTab::TableTab(std::span<const TableInfo* const> kinds, TableResults::Compute compute,
                   std::filesystem::path file, WorkerPool& pool, const std::function<void()>& wake)
    : kinds_(kinds),
      wake_(wake),
      results_(std::move(compute), pool, wake),
      selection_(pool, wake),
      export_(file, pool, wake),
      all_(std::move(file), pool, wake),
      counts_(pool, wake),
      groups_(kinds.size(), 0),
      filters_(kinds.size()) {}

void TableTab::take_choice(const TableTab& other) {
  kind_ = other.kind_;
  groups_ = other.groups_;
  filters_ = other.filters_;
}

void TableTab::set_kinds(std::span<const TableInfo* const> kinds) {
  kinds_ = kinds;
  groups_.resize(kinds.size(), 0);
  filters_.resize(kinds.size());
  if (kind_ >= kinds.size()) kind_ = 0;
}

void TableTab::choose(std::string_view kind, std::string_view group) {
  const auto found = std::ranges::find(kinds_, kind, &TableInfo::name);
  assert(found != kinds_.end());
  kind_ = static_cast<std::size_t>(found - kinds_.begin());
  if (!group.empty()) {
    const std::optional<std::size_t> index = (*found)->group_named(group);
    assert(index);
    groups_[kind_] = *index;
  }
  list_.reveal();
}

void TableTab::step_kind(int step) {
  const auto count = static_cast<int>(kinds_.size());
  kind_ = static_cast<std::size_t>((static_cast<int>(kind_) + step + count) % count);
  list_.reveal();
}

void TableTab::handle_keys(bool shown) {
  if (shown && command_pressed(CommandId::filter_columns)) grid_.toggle_filters();
  if (shown && command_pressed(CommandId::clear_selection)) grid_.clear_selection();
}

std::string_view TableTab::group_name() const {
  return kind().groups.empty() ? std::string_view() : kind().groups[groups_[kind_]].name;
}

const TableResults::Rows* TableTab::matching_rows() const {
  const TableResults::Rows* rows = results_.rows();
  if (rows == nullptr) return nullptr;
  const TableResultQuery& query = rows->answer->question;
  const bool matches = query.kind == &kind() && query.group == groups_[kind_] && query.device == device_;
  return matches ? rows : nullptr;
}

const std::vector<std::uint32_t>& TableTab::selected() const {
  static const std::vector<std::uint32_t> none;
  const TableResults::Rows* rows = matching_rows();
  const SelectedRows& selected = selection_.shown();
  return rows != nullptr && rows->answer == selected.answer ? selected.rows : none;
}

void TableTab::update(bool shown, std::optional<TableResultQuery> question) {
  if (question) {
    question->kind = &kind();
    question->group = groups_[kind_];
    question->units = byte_units();
    device_ = question->device;
  }
  if (counts_wanted_ && question) count(*question);
  if (shown) {
    if (question) results_.ask(*question);
    results_.set_order(grid_.order(), filter(), grid_.filters());
  }
  const bool changed = results_.update();
  if (changed) ++rows_changes_;
  if (changed || drawn_ != std::pair(kind_, shown)) sizing_frames_ = kSizingFrames;
  if (drawn_.first != kind_) export_.hide_message();
  selection_.update(matching_rows(), rows_changes_, grid_);
  drawn_ = {kind_, shown};
  sizing_frames_ = shown ? std::max(0, sizing_frames_ - 1) : 0;
  export_.update();
  all_.update();
}

void TableTab::save_all(const std::function<TableResultQuery(const TableInfo&)>& query) {
  std::vector<TableResultQuery> tables;
  tables.reserve(kinds_.size());
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    TableResultQuery table = query(*kinds_[i]);
    table.kind = kinds_[i];
    table.group = groups_[i];
    table.units = byte_units();
    tables.push_back(std::move(table));
  }
  all_.save(results_.compute(), std::move(tables));
}

void TableTab::count(const TableResultQuery& question) {
  std::vector<TableResultQuery> queries;
  queries.reserve(tabbed_.size());
  for (const TabbedTable& table : tabbed_) {
    const TableInfo* const counted_kind = kind_named(kinds_, table.name);
    if (counted_kind == nullptr || (table.expensive && !counts_expensive_)) continue;
    TableResultQuery& query = queries.emplace_back(question);
    query.kind = counted_kind;
    query.group = groups_[static_cast<std::size_t>(std::ranges::find(kinds_, counted_kind) - kinds_.begin())];
  }
  counts_.ask(results_.compute(), computes_, queries);
}

std::vector<DrawerTab> TableTab::drawer_tabs(bool shown, std::string_view page) const {
  std::vector<DrawerTab> tabs;
  tabs.reserve(tabbed_.size() + 1);
  for (const TabbedTable& table : tabbed_) {
    const TableInfo* const tabbed_kind = kind_named(kinds_, table.name);
    if (tabbed_kind == nullptr) continue;
    const bool current = shown && tabbed_kind == &kind();
    const std::optional<std::size_t> rows = counts_.rows(*tabbed_kind);
    if (table.if_any && !current && rows.value_or(0) == 0) continue;
    tabs.push_back({table.name, with_device_word(in_language(tabbed_kind->title), device_word_),
                    rows ? grouped(*rows) : std::string(), current});
  }
  if (shown && drawer_tab().empty())
    tabs.push_back({page, with_device_word(in_language(kind().title), device_word_), {}, true});
  return tabs;
}

std::string_view TableTab::drawer_tab() const {
  const auto found = std::ranges::find(tabbed_, kind().name, &TabbedTable::name);
  return found != tabbed_.end() ? found->name : std::string_view();
}

void TableTab::begin(ImVec2 size, const Theme& theme, float ui_scale) {
  controls_.clear();
  const ImVec2 list{std::round(std::min(150 * ui_scale, size.x / 4)), size.y};
  if (const auto chosen = list_.draw(kinds_, kind_, list, device_word_, theme, ui_scale)) kind_ = *chosen;
  ImGui::SameLine(0, std::round(10 * ui_scale));
  ImGui::BeginChild("table", {0, size.y}, false, ImGuiWindowFlags_NoScrollbar);
}

void TableTab::begin_alone(ImVec2 size) {
  controls_.clear();
  ImGui::BeginChild("table", size, false, ImGuiWindowFlags_NoScrollbar);
}

void TableTab::end() { ImGui::EndChild(); }

void TableTab::record_position(const char* name) { controls_.emplace_back(name, item_center()); }

void TableTab::draw_group(float ui_scale) {
  const std::span<const TableGroup> groups = kind().groups;
  if (groups.empty()) return;
  std::size_t& group = groups_[kind_];
  ImGui::SetNextItemWidth(std::round(145 * ui_scale));
  if (ImGui::BeginCombo("##group", in_language(groups[group].title).c_str())) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (ImGui::Selectable(in_language(groups[i].title).c_str(), i == group)) group = i;
    }
    ImGui::EndCombo();
  }
  record_position("group");
  ImGui::SameLine();
}

void TableTab::draw_filter(float ui_scale) {
  ImGui::SetNextItemWidth(std::min(180 * ui_scale, ImGui::GetContentRegionAvail().x * 0.3F));
  ImGui::PushID(static_cast<int>(kind_));
  if (ImGui::InputTextWithHint("##filter", tr(Text::table_filter), &filters_[kind_])) wake_();
  ImGui::PopID();
  record_position("filter");
  ImGui::SameLine();
}

void TableTab::draw_columns() {
  if (flat_button(with_id(Text::table_filters, "filters").c_str(),
                  hint_with_key(Text::table_filter_row_hint, CommandId::filter_columns).c_str())) {
    grid_.toggle_filters();
  }
  record_position("filters");
  ImGui::SameLine();
  if (flat_button(with_id(Text::table_columns, "columns").c_str(), tr(Text::table_columns_hint)))
    ImGui::OpenPopup("column_menu");
  record_position("columns");
  place_popup_at_item();
  ImGui::SameLine();
  if (!ImGui::BeginPopup("column_menu") || popup_closed_by_escape()) return;
  const TableResults::Rows* rows = matching_rows();
  if (rows != nullptr) grid_.draw_column_items(rows->answer->table);
  ImGui::EndPopup();
}

void TableTab::draw_export(bool keyboard) {
  const TableResults::Rows* rows = matching_rows();
  export_.draw_button(rows, [this](const char* name) { record_position(name); });
  const ImGuiIO& io = ImGui::GetIO();
  if (keyboard && !io.WantTextInput && io.KeyCtrl && !io.KeyShift && key_pressed('C') && rows != nullptr)
    export_.start(*rows, TableFormat::csv, false, selected().empty() ? rows->order : selected());
  if (keyboard && rows != nullptr && rows->answer->problem.empty() && command_pressed(CommandId::save_table))
    export_.start(*rows, TableFormat::csv, true, rows->order);
  ImGui::SameLine();
}

void TableTab::draw_tools(const Theme& theme, float ui_scale, bool keyboard) {
  draw_group(ui_scale);
  draw_filter(ui_scale);
  draw_columns();
  draw_export(keyboard);
  draw_status(theme);
}

std::string TableTab::status() const {
  if (export_.tells()) return export_.message();
  if (results_.running()) return tr(Text::table_computing);
  if (results_.failed()) return tr(Text::not_enough_memory);
  const TableResults::Rows* rows = matching_rows();
  if (rows == nullptr || !rows->answer->problem.empty()) return {};
  if (selected().size() > 1) return selection_text(selection_.shown(), grid_);
  const std::size_t all = rows->answer->table.row_count();
  if (rows->order.size() < all)
    return filled(Text::table_rows_of, {grouped(rows->order.size()), grouped(all)});
  return counted(Text::table_one_row, Text::table_rows, all);
}

void TableTab::draw_status(const Theme& theme) {
  ImGui::AlignTextToFramePadding();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_elided(*ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetStyle().FramePadding.y},
              ImGui::GetContentRegionAvail().x, theme.text_dim, status(), Elide::middle);
  const ImVec2 end{at.x + ImGui::GetContentRegionAvail().x, at.y + ImGui::GetFrameHeight()};
  if (selected().size() > 1 && ImGui::IsMouseHoveringRect(at, end))
    draw_totals(selection_.shown(), grid_, theme);
  ImGui::NewLine();
}

TableGrid::Actions TableTab::draw_page(ImVec2 size, const RowStyle& look, const Theme& theme, float ui_scale,
                                       bool keyboard) {
  begin_panel("tables", size, theme, {12 * ui_scale, 8 * ui_scale}, ImGuiWindowFlags_NoScrollbar);
  begin(ImGui::GetContentRegionAvail(), theme, ui_scale);
  draw_tools(theme, ui_scale, keyboard);
  const TableGrid::Actions done = draw_rows(ImGui::GetContentRegionAvail(), look, theme, ui_scale);
  end();
  ImGui::EndChild();
  return done;
}

void TableTab::draw_no_match(const Theme& theme) {
  ImGui::AlignTextToFramePadding();
  colored_text(theme.text_dim, tr(Text::table_no_match));
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, theme.accent);
  const bool clear = flat_button(with_id(Text::table_clear_filters, "clear_filters").c_str(), nullptr);
  ImGui::PopStyleColor();
  record_position("clear_filters");
  if (!clear) return;
  filters_[kind_].clear();
  grid_.clear_filters();
  wake_();
}

TableGrid::Actions TableTab::draw_rows(ImVec2 size, const RowStyle& look, const Theme& theme,
                                       float ui_scale) {
  TableGrid::Actions actions;
  const TableResults::Rows* rows = matching_rows();
  if (rows == nullptr) return actions;
  const Table& table = rows->answer->table;
  if (!rows->answer->problem.empty()) {
    wrapped_text(theme.text_dim, in_language(rows->answer->problem));
    return actions;
  }
  const float notes = table_notes_height(table, size);
  if (table.row_count() == 0) {
    wrapped_text(theme.text_dim, tr(Text::table_empty));
  } else {
    const bool no_match = rows->order.empty() && filtered();
    const float height = std::max(1.0F, size.y - notes);
    // The headers and the filters of the columns remain.
    const float grid_height = no_match ? std::min(height, std::round(4 * table_row_height())) : height;
    actions = grid_.draw(*rows, look, {size.x, grid_height}, theme, ui_scale);
    selection_.update(rows, rows_changes_, grid_);
    if (no_match) draw_no_match(theme);
  }
  draw_table_notes(table, size, theme, ui_scale);
  return actions;
}

}  // namespace kino
