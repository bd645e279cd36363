#include "app/ui/tables/table_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "app/ui/tables/split_bar.hpp"
#include "app/ui/text/table_text.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/column_filter.hpp"
#include "core/tables/column_totals.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostColumns = 60;   // ImGui's limit is 64
constexpr std::size_t kMeasuredRows = 60;  // number of rows measured for the initial width of a column
constexpr float kSplitBar = 240;           // width of the longest step's bar, at scale 1
constexpr std::size_t kTipBytes = 2000;

std::size_t column_count(const Table& table) { return std::min(table.columns.size(), kMostColumns); }

/// Returns the indentation of a row of a tree, in px.
float indent_of(const Table& table, std::uint32_t row, float ui_scale) {
  return static_cast<float>(table.depths[row]) * std::round(14 * ui_scale);
}

std::string_view text_at(const TableColumn& column, std::uint32_t row) {
  const auto* texts = std::get_if<TableColumn::Texts>(&column.values);
  return texts != nullptr ? std::string_view((*texts)[row]) : std::string_view();
}

/// Returns the number of rows without a value.
std::size_t missing_values(const TableColumn& column) {
  if (const auto* integers = std::get_if<TableColumn::Integers>(&column.values))
    return static_cast<std::size_t>(std::ranges::count(*integers, kNoInteger));
  if (const auto* numbers = std::get_if<TableColumn::Numbers>(&column.values))
    return static_cast<std::size_t>(std::ranges::count_if(*numbers, [](double x) { return std::isnan(x); }));
  return static_cast<std::size_t>(
      std::ranges::count_if(std::get<TableColumn::Texts>(column.values), &std::string::empty));
}

/// Returns the filter text that matches the value of this cell.
std::string condition_on(const TableColumn& column, std::uint32_t row) {
  const std::array<std::uint32_t, 1> rows{row};
  if (column.is_text()) return std::string(text_at(column, row));
  const ColumnTotals value = totals_of(column, rows);
  if (value.count == 0) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", column.unit == Unit::share ? 100 * value.sum : value.sum);
  return text;
}

bool is_column_hovered(std::size_t column) {
  return (ImGui::TableGetColumnFlags(static_cast<int>(column)) & ImGuiTableColumnFlags_IsHovered) != 0;
}

/// Draws the tooltip of a cell whose text begins at `top`, above the row.
void draw_cell_tip(const std::string& text, const char* hint, float top, const Theme& theme, float ui_scale) {
  const float width = 460 * ui_scale;
  float height = wrapped_height(text, width);
  if (*hint != 0) height += ImGui::GetStyle().ItemSpacing.y + wrapped_height(hint, width);
  place_next_tooltip(top, top + ImGui::GetTextLineHeight(), height);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  colored_text(theme.text, text);
  if (*hint != 0) colored_text(theme.text_dim, hint);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_header_tip(const Table& table, const TableColumn& column, const Theme& theme, float ui_scale) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 420 * ui_scale);
  colored_text(theme.text, shown_title(table, column));
  if (column.definition != text_of(column.unit)) colored_text(theme.text, shown_definition(table, column));
  if (column.unit == Unit::share) {
    colored_text(theme.text_dim, filled(Text::table_unit, {tr(Text::table_share)}));
  } else if (!text_of(column.unit).empty()) {
    colored_text(theme.text_dim, filled(Text::table_unit, {text_of(column.unit)}));
  }
  if (const std::size_t missing = missing_values(column); missing > 0) {
    colored_text(theme.text_dim,
                 filled(Text::table_coverage, {grouped(column.size() - missing), grouped(column.size())}));
  }
  colored_text(theme.text_dim, tr(Text::table_sort_hint));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

std::optional<std::uint32_t> SliceRowStyle::color_of(const Table& table, std::uint32_t row) const {
  const SliceId example = table.slice_of(row);
  return example == kNoSlice ? std::nullopt : std::optional(look_.color_of(example));
}

void TableGrid::take(const std::shared_ptr<const TableResult>& answer, const RowStyle& look, float room,
                     float ui_scale) {
  if (answer == answer_ && language() == measured_in_) return;
  measured_in_ = language();
  answer_ = answer;
  const Table& table = answer->table;
  selected_.assign(table.row_count(), 0);
  ++selection_changes_;
  anchor_ = 0;
  choose_columns_ = false;
  longest_ns_ = 0;
  const std::size_t count = column_count(table);
  enabled_.assign(count, 1);
  std::string filtered = table.name + std::to_string(answer->question.group);
  if (filtered != filtered_ || filter_texts_.size() != count) filter_texts_.assign(count, {});
  filtered_ = std::move(filtered);
  widths_.assign(count, 0);
  times_ = TimeColumn::all_of(table);
  const float most = std::round(260 * ui_scale);
  const auto rows = static_cast<std::uint32_t>(std::min(table.row_count(), kMeasuredRows));
  float others = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const TableColumn& column = table.columns[i];
    // Reserve room for the sort arrow after the title.
    float width = text_width(shown_title(table, column)) + ImGui::GetFontSize() * 1.2F;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::optional<std::string> own = look.text_of_cell(table, i, row);
      const float needed = text_width(own                ? *own
                                      : column.is_text() ? shown_cell(column, row).substr(0, 200)
                                                         : cell_text_in(times_[i], column, row));
      width = std::max(width, needed + std::round(4 * ui_scale));
    }
    if (column.is_text()) width = std::min(width, most);
    if (has_split_bar(table, column)) {
      longest_ns_ = longest_total_ns(column);
      number_px_ = width;
      width += std::round(kSplitBar * ui_scale);
    }
    widths_[i] = std::round(width);
    if (i > 0 && !column.export_only) others += width + 2 * ImGui::GetStyle().CellPadding.x;
  }
  // The first column, with the names, is as wide as its longest measured name if the remaining width allows.
  const bool name = count > 0 && table.columns.front().is_text();
  if (!name) return;
  float needed = widths_.front();
  for (std::uint32_t row = 0; row < rows; ++row) {
    const float indent = row < table.depths.size() ? indent_of(table, row, ui_scale) : 0;
    needed = std::max(
        needed, indent + text_width(look.name_text(text_at(table.columns.front(), row)).substr(0, 400)));
  }
  const float bar = ImGui::GetStyle().ScrollbarSize + 2 * ImGui::GetStyle().CellPadding.x;
  const float dot = std::round(24 * ui_scale);  // the color before the name, and its gap
  const float free = std::max(widths_.front() + dot, room - others - bar);
  widths_.front() = std::round(std::min(needed + dot, free));
}

/// Makes the names of rows distinguishable: if different kernels have the same short name, their rows show an
/// excerpt where the full names differ. Does nothing for large tables.
void TableGrid::name_rows(const Table& table, const RowStyle& look) {
  constexpr std::size_t kMostRows = 10'000;  // more rows would take too long on the UI thread
  const TableColumn* const named = table.find("name");
  if (named == nullptr || !named->is_text() || table.row_count() == 0 || table.row_count() > kMostRows) {
    row_names_.clear();
    return;
  }
  const auto& texts = std::get<TableColumn::Texts>(named->values);
  std::string now = look.name_text(*std::ranges::max_element(texts, {}, &std::string::size));
  if (row_names_.size() == texts.size() && now == longest_name_) return;
  longest_name_ = std::move(now);
  std::vector<std::string_view> names;
  std::vector<std::string> shown;
  for (const std::string& text : texts) {
    names.push_back(head_of(text, kMostDrawnBytes));
    shown.push_back(look.name_text(text));
  }
  row_names_ = disambiguated_if_cut(names, std::move(shown), SliceStyle::kCutCharacters);
}

std::string TableGrid::text_to_show(const Table& table, std::size_t column, std::uint32_t row,
                                    const RowStyle& look) const {
  if (std::optional<std::string> own = look.text_of_cell(table, column, row)) return *std::move(own);
  if (table.columns[column].key != "name") return shown_cell(table.columns[column], row);
  return row < row_names_.size() ? row_names_[row] : look.name_text(text_at(table.columns[column], row));
}

void TableGrid::set_up_columns(const Table& table) {
  for (std::size_t i = 0; i < column_count(table); ++i) {
    const TableColumn& column = table.columns[i];
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
    if (!column.is_text()) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (i == 0) flags |= ImGuiTableColumnFlags_NoHide | ImGuiTableColumnFlags_NoReorder;
    if (column.export_only) flags |= ImGuiTableColumnFlags_DefaultHide;
    ImGui::TableSetupColumn(shown_title(table, column).c_str(), flags, widths_[i], static_cast<ImGuiID>(i));
  }
  ImGui::TableSetupScrollFreeze(1, filters_shown_ ? 2 : 1);
}

void TableGrid::take_order() {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  order_.clear();
  for (int i = 0; specs != nullptr && i < specs->SpecsCount; ++i) {
    const ImGuiTableColumnSortSpecs& by = specs->Specs[i];
    order_.push_back({by.ColumnUserID, by.SortDirection == ImGuiSortDirection_Descending});
  }
}

void TableGrid::draw_headers(const Table& table, const Theme& theme, float ui_scale) {
  places_.headers.clear();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < column_count(table); ++i) {
    const auto index = static_cast<int>(i);
    enabled_[i] = (ImGui::TableGetColumnFlags(index) & ImGuiTableColumnFlags_IsEnabled) != 0 ? 1 : 0;
    if (!ImGui::TableSetColumnIndex(index)) continue;
    ImGui::PushID(index);
    ImGui::TableHeader(shown_title(table, table.columns[i]).c_str());
    const ImVec2 corner = ImGui::GetItemRectMin();
    places_.headers.emplace_back(table.columns[i].key,
                                 ImVec2{corner.x + 24 * ui_scale, corner.y + table_row_height() / 2});
    if (ImGui::IsItemHovered()) draw_header_tip(table, table.columns[i], theme, ui_scale);
    ImGui::PopID();
  }
}

TableGrid::Actions TableGrid::draw(const TableResults::Rows& rows, const RowStyle& look, ImVec2 size,
                                   const Theme& theme, float ui_scale) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_Sortable | ImGuiTableFlags_SortMulti | ImGuiTableFlags_SortTristate |
      ImGuiTableFlags_Hideable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Resizable |
      ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  Actions actions;
  const bool fresh = rows.answer != answer_;
  take(rows.answer, look, size.x, ui_scale);
  if (fresh) longest_name_.clear();
  name_rows(rows.answer->table, look);
  const Table& table = rows.answer->table;
  // ImGui keeps the widths of columns by id, but titles of another language need other widths.
  std::string id = table.name + std::to_string(rows.answer->question.group);
  if (language() != Language::english) id.append("_").append(std::to_string(static_cast<int>(language())));
  if (column_count(table) == 0 ||
      !ImGui::BeginTable(id.c_str(), static_cast<int>(column_count(table)), kFlags, size)) {
    return actions;
  }
  set_up_columns(table);
  if (std::exchange(choose_columns_, false)) {
    for (std::size_t i = 1; i < wanted_.size() && i < column_count(table); ++i)
      ImGui::TableSetColumnEnabled(static_cast<int>(i), wanted_[i] != 0);
  }
  draw_headers(table, theme, ui_scale);
  places_.filters.clear();
  if (filters_shown_) draw_filters(table, theme);
  take_order();
  places_.row_height = table_row_height();
  scroll_to_requested_row(rows);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.order.size()), table_row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(rows, static_cast<std::size_t>(i), look, theme, ui_scale, actions);
  }
  clipper.End();
  ImGui::EndTable();
  draw_cell_menu(table, look, actions);
  return actions;
}

void TableGrid::scroll_to_requested_row(const TableResults::Rows& rows) {
  const std::optional<std::uint32_t> row = std::exchange(reveal_, std::nullopt);
  const auto found = row ? std::ranges::find(rows.order, *row) : rows.order.end();
  if (found == rows.order.end()) return;
  const float top = static_cast<float>(found - rows.order.begin()) * table_row_height();
  const float seen = ImGui::GetWindowHeight() - 3 * table_row_height();
  if (top < ImGui::GetScrollY() || top > ImGui::GetScrollY() + seen)
    ImGui::SetScrollY(std::max(0.0F, top - seen / 2));
}

void TableGrid::draw_filters(const Table& table, const Theme& theme) {
  ImGui::TableNextRow();
  for (std::size_t i = 0; i < column_count(table); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const TableColumn& column = table.columns[i];
    std::array<char, 64>& text = filter_texts_[i];
    const bool understood =
        column.is_text() || text[0] == 0 || interval_from_text(text.data(), column.unit).has_value();
    ImGui::PushID(static_cast<int>(i));
    ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
    if (!understood) ImGui::PushStyleColor(ImGuiCol_Text, theme.warning);
    ImGui::InputTextWithHint("##condition",
                             tr(column.is_text() ? Text::table_contains : Text::table_compares), text.data(),
                             text.size());
    if (!understood) ImGui::PopStyleColor();
    places_.filters.emplace_back(column.key, item_center());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr(Text::table_filter_syntax_hint));
    ImGui::PopID();
  }
}

std::vector<ColumnFilter> TableGrid::filters() const {
  std::vector<ColumnFilter> list;
  for (std::size_t i = 0; filters_shown_ && i < filter_texts_.size(); ++i) {
    if (filter_texts_[i][0] != 0) list.push_back({i, filter_texts_[i].data()});
  }
  return list;
}

void TableGrid::clear_filters() {
  for (std::array<char, 64>& text : filter_texts_) text.fill(0);
}

void TableGrid::draw_cell_menu(const Table& table, const RowStyle& look, Actions& actions) {
  places_.cell_items.clear();
  if (std::exchange(cell_menu_, false)) ImGui::OpenPopup("cell_menu");
  if (!ImGui::BeginPopup("cell_menu")) return;
  if (popup_closed_by_escape()) return;
  const bool there = cell_row_ < table.row_count() && cell_column_ < filter_texts_.size();
  const auto item = [&](Text title, const char* id) {
    const bool chosen = ImGui::MenuItem(with_id(title, id).c_str(), nullptr, false, there);
    places_.cell_items.emplace_back(id, item_center());
    return chosen;
  };
  if (item(Text::table_copy_cell, "copy_cell")) {
    const TableColumn& column = table.columns[cell_column_];
    const std::string text =
        column.is_text() ? std::string(text_at(column, cell_row_)) : cell_text(column, cell_row_);
    ImGui::SetClipboardText(text.c_str());
  }
  if (item(Text::table_only_this_value, "only_like_this")) {
    const std::string text = condition_on(table.columns[cell_column_], cell_row_);
    std::array<char, 64>& field = filter_texts_[cell_column_];
    field.fill(0);
    std::copy_n(text.begin(), std::min(text.size(), field.size() - 1), field.begin());
    filters_shown_ = true;
  }
  if (look.finds() && item(Text::table_find, "find_instances")) actions.find = cell_row_;
  ImGui::EndPopup();
}

void TableGrid::click(const TableResults::Rows& rows, std::size_t position, Actions& actions) {
  const ImGuiIO& io = ImGui::GetIO();
  const std::uint32_t row = rows.order[position];
  ++selection_changes_;
  if (io.KeyShift) {
    const std::size_t from = std::min(anchor_, rows.order.size() - 1);
    if (!io.KeyCtrl) std::fill(selected_.begin(), selected_.end(), 0);
    for (std::size_t i = std::min(from, position); i <= std::max(from, position); ++i)
      selected_[rows.order[i]] = 1;
    return;
  }
  anchor_ = position;
  if (io.KeyCtrl) {
    selected_[row] = selected_[row] != 0 ? 0 : 1;
    return;
  }
  std::fill(selected_.begin(), selected_.end(), 0);
  selected_[row] = 1;
  actions.go_to = row;
}

void TableGrid::draw_row(const TableResults::Rows& rows, std::size_t position, const RowStyle& look,
                         const Theme& theme, float ui_scale, Actions& actions) {
  const Table& table = rows.answer->table;
  const std::uint32_t row = rows.order[position];
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row));
  constexpr ImGuiSelectableFlags kFlags = ImGuiSelectableFlags_SpanAllColumns |
                                          ImGuiSelectableFlags_AllowItemOverlap |
                                          ImGuiSelectableFlags_AllowDoubleClick;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (position == 0) places_.first_row = {at.x + 30 * ui_scale, at.y + ImGui::GetTextLineHeight() / 2};
  if (ImGui::Selectable("##row", selected_[row] != 0 || look.is_marked(table, row), kFlags)) {
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      actions.find = row;
    } else {
      click(rows, position, actions);
    }
  }
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && look.color_of(table, row)) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    cell_menu_ = true;
    cell_row_ = row;
    cell_column_ = 0;
    for (std::size_t i = 0; i < column_count(table); ++i) {
      if (is_column_hovered(i)) cell_column_ = i;
    }
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(at);
  draw_cells(table, row, hovered, look, theme, ui_scale);
}

void TableGrid::draw_cells(const Table& table, std::uint32_t row, bool hovered, const RowStyle& look,
                           const Theme& theme, float ui_scale) const {
  const std::optional<std::uint32_t> color = look.color_of(table, row);
  for (std::size_t i = 0; i < column_count(table); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const TableColumn& column = table.columns[i];
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    if (look.draw_cell(*ImGui::GetWindowDrawList(), table, i, row, corner,
                       {corner.x + ImGui::GetContentRegionAvail().x, corner.y + ImGui::GetTextLineHeight()}))
      continue;
    if (!column.is_text()) {
      if (longest_ns_ > 0 && has_split_bar(table, column)) {
        const bool tip = hovered && is_column_hovered(i);
        const ImVec2 start = ImGui::GetCursorScreenPos();
        draw_split_bar(table, row, longest_ns_, number_px_, tip, theme, ui_scale);
        ImGui::SetCursorScreenPos(start);
      }
      const std::optional<std::string> own = look.text_of_cell(table, i, row);
      right_aligned_text(look.number_color(table, i, row, theme),
                         own ? *own : cell_text_in(times_[i], column, row));
      continue;
    }
    ImVec2 at = ImGui::GetCursorScreenPos();
    float room = ImGui::GetContentRegionAvail().x;
    if (i == 0 && order_.empty() && row < table.depths.size()) {
      const float indent = std::min(indent_of(table, row, ui_scale), room / 2);
      at.x += indent;
      room -= indent;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (i == 0 && color) {
      const float radius = std::round(4 * ui_scale);
      list.AddCircleFilled({at.x + radius, std::floor(at.y + ImGui::GetTextLineHeight() / 2)}, radius,
                           *color);
      const float indent = 2 * radius + std::round(6 * ui_scale);
      at.x += indent;
      room -= indent;
    }
    const std::string shown = text_to_show(table, i, row, look);
    draw_cell_text(list, at, room, i == 0 ? theme.text : theme.text_dim, shown, Elide::middle);
    if (!hovered || !is_column_hovered(i) || (i > 0 && text_width(shown) <= room)) continue;
    const Text hint = look.finds() ? Text::table_row_hint : Text::table_row_go_hint;
    draw_cell_tip(shown_cell(column, row).substr(0, kTipBytes), i == 0 && color ? tr(hint) : "", corner.y,
                  theme, ui_scale);
  }
}

void TableGrid::draw_column_items(const Table& table) {
  const std::size_t count = std::min(column_count(table), enabled_.size());
  if (ImGui::MenuItem(with_id(Text::table_all_columns, "all").c_str())) {
    wanted_.assign(count, 1);
    choose_columns_ = true;
  }
  ImGui::Separator();
  for (std::size_t i = 1; i < count; ++i) {
    ImGui::PushID(static_cast<int>(i));
    bool shown = enabled_[i] != 0;  // a check box, so that the menu remains open
    if (ImGui::Checkbox(shown_title(table, table.columns[i]).c_str(), &shown)) {
      wanted_ = enabled_;
      wanted_[i] = shown ? 1 : 0;
      choose_columns_ = true;
    }
    ImGui::PopID();
  }
}

void TableGrid::select(std::uint32_t row) {
  clear_selection();
  if (row >= selected_.size()) return;
  selected_[row] = 1;
  reveal_ = row;
}

}  // namespace kino
