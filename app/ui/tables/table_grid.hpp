// Draws any table as a grid: sortable headers, optional columns, selectable rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/tables/table_results.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/widgets/theme.hpp"
#include "app/ui/widgets/time_column.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// Number of frames that ImGui needs to settle the column widths of a new table.
inline constexpr int kSizingFrames = 4;

/// Appearance of a table's rows, defined by the page around the table.
class RowStyle {
 public:
  virtual ~RowStyle() = default;
  /// Returns the displayed form of a cell in the column "name".
  virtual std::string name_text(std::string_view name) const { return std::string(name); }
  /// Color of the row's subject; nullopt if clicking the row selects nothing.
  virtual std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const = 0;
  /// Returns the text of a cell if the page replaces shown_cell(), else nullopt. Exports do not use it.
  virtual std::optional<std::string> text_of_cell([[maybe_unused]] const Table& table,
                                                  [[maybe_unused]] std::size_t column,
                                                  [[maybe_unused]] std::uint32_t row) const {
    return std::nullopt;
  }
  /// Color of a number: dimmed where it is not significant, a warning where it is bad.
  virtual std::uint32_t number_color([[maybe_unused]] const Table& table, [[maybe_unused]] std::size_t column,
                                     [[maybe_unused]] std::uint32_t row, const Theme& theme) const {
    return theme.text;
  }
  /// Whether the row is highlighted because the page has selected its subject. Called for visible rows only.
  virtual bool is_marked([[maybe_unused]] const Table& table, [[maybe_unused]] std::uint32_t row) const {
    return false;
  }
  /// Whether the page supports TableGrid::Actions::find. If not, the menu of a cell does not offer the
  /// search.
  virtual bool finds() const { return false; }
  /// Draws a cell between the corners `from` and `to`, with clickable items if needed. If this returns false,
  /// the grid then draws the cell's text.
  virtual bool draw_cell([[maybe_unused]] ImDrawList& list, [[maybe_unused]] const Table& table,
                         [[maybe_unused]] std::size_t column, [[maybe_unused]] std::uint32_t row,
                         [[maybe_unused]] ImVec2 from, [[maybe_unused]] ImVec2 to) const {
    return false;
  }
};

/// Style of rows whose subjects are slices. For `finds`, see RowStyle::finds().
class SliceRowStyle : public RowStyle {
 public:
  explicit SliceRowStyle(const SliceStyle& look, bool finds = false) : look_(look), finds_(finds) {}
  std::string name_text(std::string_view name) const override { return look_.name_text(name); }
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override;
  bool finds() const override { return finds_; }

 private:
  const SliceStyle& look_;
  bool finds_;
};

/// Draws a table, and holds its selection, order and filters. UI thread only. ImGui stores the user's column
/// settings per table and group until the window closes.
class TableGrid {
 public:
  struct Actions {
    std::optional<std::uint32_t> go_to;  ///< row that was clicked
    std::optional<std::uint32_t> find;   ///< row whose instances are requested
  };
  /// Positions on screen, for tests.
  struct Places {
    std::vector<std::pair<std::string, ImVec2>> headers;     ///< by the column's key
    std::vector<std::pair<std::string, ImVec2>> filters;     ///< by the column's key
    std::vector<std::pair<std::string, ImVec2>> cell_items;  ///< in the menu of a cell
    ImVec2 first_row;
    float row_height = 0;
  };

  /// Draws the table. O(visible rows).
  Actions draw(const TableResults::Rows& rows, const RowStyle& look, ImVec2 size, const Theme& theme,
               float ui_scale);
  /// Draws menu items that show and hide the columns of the last table drawn.
  void draw_column_items(const Table& table);

  /// Toggles the per-column filter row. Hidden filters do not apply.
  void toggle_filters() { filters_shown_ = !filters_shown_; }
  /// Returns the filters as of the last draw(); none while the filter row is hidden.
  std::vector<ColumnFilter> filters() const;
  /// Empties the filters of all columns.
  void clear_filters();
  /// Sort order chosen in the headers, as of the last draw().
  const std::vector<TableOrder>& order() const { return order_; }
  /// Selects one row of the table and scrolls to it. If the table has no such row, clears the selection.
  void select(std::uint32_t row);
  /// Scrolls to a row of the table unless it is visible.
  void reveal(std::uint32_t row) { reveal_ = row; }
  void clear_selection() {
    std::fill(selected_.begin(), selected_.end(), 0);
    ++selection_changes_;
  }
  /// Whether each row of answer() is selected.
  const std::vector<char>& chosen() const { return selected_; }
  std::uint64_t selection_changes() const { return selection_changes_; }
  const std::shared_ptr<const TableResult>& answer() const { return answer_; }
  /// Returns the format of the times of each column of answer(); nullopt for other columns.
  const std::vector<std::optional<TimeColumn>>& time_formats() const { return times_; }
  const Places& places() const { return places_; }

 private:
  void take(const std::shared_ptr<const TableResult>& answer, const RowStyle& look, float room,
            float ui_scale);
  void name_rows(const Table& table, const RowStyle& look);
  std::string text_to_show(const Table& table, std::size_t column, std::uint32_t row,
                           const RowStyle& look) const;
  void set_up_columns(const Table& table);
  void draw_headers(const Table& table, const Theme& theme, float ui_scale);
  void take_order();
  void draw_filters(const Table& table, const Theme& theme);
  void draw_cell_menu(const Table& table, const RowStyle& look, Actions& actions);
  void scroll_to_requested_row(const TableResults::Rows& rows);
  void click(const TableResults::Rows& rows, std::size_t position, Actions& actions);
  void draw_row(const TableResults::Rows& rows, std::size_t position, const RowStyle& look,
                const Theme& theme, float ui_scale, Actions& actions);
  void draw_cells(const Table& table, std::uint32_t row, bool hovered, const RowStyle& look,
                  const Theme& theme, float ui_scale) const;

  std::optional<std::uint32_t> reveal_;        // row to scroll to
  std::shared_ptr<const TableResult> answer_;  // table to which the members below belong
  std::vector<std::string> row_names_;         // distinguishable names by row; empty for too many rows
  std::string longest_name_;                   // longest name as displayed when row_names_ was made
  Language measured_in_ = Language::english;
  std::vector<float> widths_;                     // initial widths, by column
  std::vector<std::optional<TimeColumn>> times_;  // formats of times, by column
  std::vector<char> enabled_;                     // by column
  std::vector<char> wanted_;                      // by column: the user's latest choice
  bool choose_columns_ = false;
  std::int64_t longest_ns_ = 0;  // scale of the step bars; 0: no bars
  float number_px_ = 0;          // width of the numbers beside the bars
  std::vector<char> selected_;   // by row of the table
  std::uint64_t selection_changes_ = 0;
  std::size_t anchor_ = 0;  // index in the shown order where a range selection starts
  std::vector<TableOrder> order_;
  bool filters_shown_ = false;
  std::vector<std::array<char, 64>> filter_texts_;  // by column
  std::string filtered_;                            // table and group that the filters belong to
  bool cell_menu_ = false;                          // whether the menu is to be opened in this frame
  std::uint32_t cell_row_ = 0;
  std::size_t cell_column_ = 0;
  Places places_;
};

}  // namespace kino
