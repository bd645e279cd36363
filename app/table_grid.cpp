#include "app/table_grid.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/split_bar.hpp"
#include "app/table_command.hpp"
#include "app/text_drawing.hpp"
#include "app/widgets.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostColumns = 60;   // ImGui's limit is 64
constexpr std::size_t kMeasuredRows = 60;  // that a column's first width is made for
constexpr float kSplitBar = 240;           // of the longest step, at scale 1
constexpr std::size_t kTipBytes = 2000;

std::size_t column_count(const Table& table) { return std::min(table.columns.size(), kMostColumns); }

/// Of a row of a tree.
float indent_of(const Table& table, std::uint32_t row, float ui_scale) {
  return static_cast<float>(table.depths[row]) * std::round(14 * ui_scale);
}

std::string_view text_at(const TableColumn& column, std::uint32_t row) {
  const auto* texts = std::get_if<TableColumn::Texts>(&column.values);
  return texts != nullptr ? std::string_view((*texts)[row]) : std::string_view();
}

void draw_header_tip(const TableColumn& column, const Theme& theme, float ui_scale) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 420 * ui_scale);
  colored_text(theme.text, column.title);
  if (column.definition != text_of(column.unit)) colored_text(theme.text, column.definition);
  if (column.unit == Unit::share) {
    colored_text(theme.text_dim, filled(Text::table_unit, {tr(Text::table_share)}));
  } else if (!text_of(column.unit).empty()) {
    colored_text(theme.text_dim, filled(Text::table_unit, {text_of(column.unit)}));
  }
  colored_text(theme.text_dim, tr(Text::table_sort_hint));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

SliceId example_of(const Table& table, std::uint32_t row) {
  return row < table.examples.size() ? table.examples[row] : kNoSlice;
}

std::optional<std::uint32_t> SliceRowLook::color_of(const Table& table, std::uint32_t row) const {
  const SliceId example = example_of(table, row);
  return example == kNoSlice ? std::nullopt : std::optional(look_.color_of(example));
}

void TableGrid::take(const std::shared_ptr<const TableAnswer>& answer, const RowLook& look, float room,
                     float ui_scale) {
  if (answer == answer_) return;
  answer_ = answer;
  const Table& table = answer->table;
  selected_.assign(table.row_count(), 0);
  anchor_ = 0;
  choose_columns_ = false;
  longest_ns_ = 0;
  const std::size_t count = column_count(table);
  enabled_.assign(count, 1);
  widths_.assign(count, 0);
  const float most = std::round(260 * ui_scale);
  const auto rows = static_cast<std::uint32_t>(std::min(table.row_count(), kMeasuredRows));
  float others = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const TableColumn& column = table.columns[i];
    // The arrow of the order stands behind the title.
    float width = text_width(column.title) + ImGui::GetFontSize() * 1.2F;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const float needed = column.is_text() ? text_width(text_at(column, row).substr(0, 200))
                                            : text_width(cell_text(column, row));
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
  // What is left is the first column's, which has the names.
  const bool name = count > 0 && table.columns.front().is_text();
  if (!name) return;
  float needed = widths_.front();
  for (std::uint32_t row = 0; row < rows; ++row) {
    const float indent = row < table.depths.size() ? indent_of(table, row, ui_scale) : 0;
    needed = std::max(
        needed, indent + text_width(look.name_text(text_at(table.columns.front(), row)).substr(0, 400)));
  }
  const float bar = ImGui::GetStyle().ScrollbarSize + 2 * ImGui::GetStyle().CellPadding.x;
  const float free = std::max(widths_.front(), room - others - bar);
  widths_.front() = std::round(std::min(needed + std::round(24 * ui_scale), free));
}

void TableGrid::set_up_columns(const Table& table) {
  for (std::size_t i = 0; i < column_count(table); ++i) {
    const TableColumn& column = table.columns[i];
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
    if (!column.is_text()) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (i == 0) flags |= ImGuiTableColumnFlags_NoHide | ImGuiTableColumnFlags_NoReorder;
    if (column.export_only) flags |= ImGuiTableColumnFlags_DefaultHide;
    ImGui::TableSetupColumn(column.title.c_str(), flags, widths_[i], static_cast<ImGuiID>(i));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
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
    ImGui::TableHeader(table.columns[i].title.c_str());
    const ImVec2 corner = ImGui::GetItemRectMin();
    places_.headers.emplace_back(table.columns[i].key,
                                 ImVec2{corner.x + 24 * ui_scale, corner.y + table_row_height() / 2});
    if (ImGui::IsItemHovered()) draw_header_tip(table.columns[i], theme, ui_scale);
    ImGui::PopID();
  }
}

TableGrid::Actions TableGrid::draw(const TableResults::Rows& rows, const RowLook& look, ImVec2 size,
                                   const Theme& theme, float ui_scale) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_Sortable | ImGuiTableFlags_SortMulti | ImGuiTableFlags_SortTristate |
      ImGuiTableFlags_Hideable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Resizable |
      ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  Actions actions;
  take(rows.answer, look, size.x, ui_scale);
  const Table& table = rows.answer->table;
  const std::string id = table.name + std::to_string(rows.answer->question.group);
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
  take_order();
  places_.row_height = table_row_height();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.order.size()), table_row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(rows, static_cast<std::size_t>(i), look, theme, ui_scale, actions);
  }
  clipper.End();
  ImGui::EndTable();
  return actions;
}

void TableGrid::click(const TableResults::Rows& rows, std::size_t place, Actions& actions) {
  const ImGuiIO& io = ImGui::GetIO();
  const std::uint32_t row = rows.order[place];
  if (io.KeyShift) {
    const std::size_t from = std::min(anchor_, rows.order.size() - 1);
    if (!io.KeyCtrl) std::fill(selected_.begin(), selected_.end(), 0);
    for (std::size_t i = std::min(from, place); i <= std::max(from, place); ++i) selected_[rows.order[i]] = 1;
    return;
  }
  anchor_ = place;
  if (io.KeyCtrl) {
    selected_[row] = selected_[row] != 0 ? 0 : 1;
    return;
  }
  std::fill(selected_.begin(), selected_.end(), 0);
  selected_[row] = 1;
  actions.go_to = row;
}

void TableGrid::draw_row(const TableResults::Rows& rows, std::size_t place, const RowLook& look,
                         const Theme& theme, float ui_scale, Actions& actions) {
  const Table& table = rows.answer->table;
  const std::uint32_t row = rows.order[place];
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row));
  constexpr ImGuiSelectableFlags kFlags = ImGuiSelectableFlags_SpanAllColumns |
                                          ImGuiSelectableFlags_AllowItemOverlap |
                                          ImGuiSelectableFlags_AllowDoubleClick;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (place == 0) places_.first_row = {at.x + 30 * ui_scale, at.y + ImGui::GetTextLineHeight() / 2};
  if (ImGui::Selectable("##row", selected_[row] != 0, kFlags)) {
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      actions.find = row;
    } else {
      click(rows, place, actions);
    }
  }
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && look.color_of(table, row)) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(at);
  draw_cells(table, row, hovered, look, theme, ui_scale);
}

void TableGrid::draw_cells(const Table& table, std::uint32_t row, bool hovered, const RowLook& look,
                           const Theme& theme, float ui_scale) const {
  const std::optional<std::uint32_t> color = look.color_of(table, row);
  for (std::size_t i = 0; i < column_count(table); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const TableColumn& column = table.columns[i];
    if (!column.is_text()) {
      if (longest_ns_ > 0 && has_split_bar(table, column)) {
        const bool tip = hovered && (ImGui::TableGetColumnFlags(static_cast<int>(i)) &
                                     ImGuiTableColumnFlags_IsHovered) != 0;
        const ImVec2 start = ImGui::GetCursorScreenPos();
        draw_split_bar(table, row, longest_ns_, number_px_, tip, theme, ui_scale);
        ImGui::SetCursorScreenPos(start);
      }
      right_aligned_text(theme.text, cell_text(column, row));
      continue;
    }
    const std::string_view whole = text_at(column, row);
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
    const std::string shown = column.key == "name" ? look.name_text(whole) : std::string(whole);
    draw_elided(list, at, room, i == 0 ? theme.text : theme.text_dim, shown, Elide::middle);
    if (!hovered || (ImGui::TableGetColumnFlags(static_cast<int>(i)) & ImGuiTableColumnFlags_IsHovered) == 0)
      continue;
    if (i > 0 && text_width(shown) <= room) continue;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + 460 * ui_scale);
    colored_text(theme.text, whole.substr(0, kTipBytes));
    if (i == 0 && color) colored_text(theme.text_dim, tr(Text::table_row_hint));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
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
    bool shown = enabled_[i] != 0;  // a check box, so that the menu stays for the next one
    if (ImGui::Checkbox(table.columns[i].title.c_str(), &shown)) {
      wanted_ = enabled_;
      wanted_[i] = shown ? 1 : 0;
      choose_columns_ = true;
    }
    ImGui::PopID();
  }
}

std::vector<std::uint32_t> TableGrid::selected(const TableResults::Rows& rows) const {
  std::vector<std::uint32_t> list;
  if (rows.answer != answer_) return list;
  std::copy_if(rows.order.begin(), rows.order.end(), std::back_inserter(list),
               [this](std::uint32_t row) { return selected_[row] != 0; });
  return list;
}

}  // namespace kino
