// Draws any table as a grid: sorted by headers, columns to choose, rows to select and to follow.
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
#include "app/ui/view/slice_look.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// How many frames ImGui takes to find the widths of a new table's columns.
inline constexpr int kSizingFrames = 4;

/// How the rows of a table look, and which of them the page around the table has selected.
class RowLook {
 public:
  virtual ~RowLook() = default;
  /// A text of a column with the key "name", as it is shown.
  virtual std::string name_text(std::string_view name) const { return std::string(name); }
  /// Of what a row leads to; nothing when it leads nowhere.
  virtual std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const = 0;
  /// Text of a cell where the page has a better one than cell_text(), which exports keep.
  virtual std::optional<std::string> text_of_cell([[maybe_unused]] const Table& table,
                                                  [[maybe_unused]] std::size_t column,
                                                  [[maybe_unused]] std::uint32_t row) const {
    return std::nullopt;
  }
  /// The color of a number: dim where it supports no statement, a warning where it is bad news.
  virtual std::uint32_t number_color([[maybe_unused]] const Table& table, [[maybe_unused]] std::size_t column,
                                     [[maybe_unused]] std::uint32_t row, const Theme& theme) const {
    return theme.text;
  }
  /// Whether the row is highlighted because the page has selected its subject. Called for visible rows only.
  virtual bool is_marked([[maybe_unused]] const Table& table, [[maybe_unused]] std::uint32_t row) const {
    return false;
  }
  /// Whether the page follows TableGrid::Actions::find. If not, the menu of a cell does not offer it.
  virtual bool finds() const { return false; }
  /// Draws a cell into [from, to) itself, with items that take clicks if it likes. False: its text is shown,
  /// above what was drawn.
  virtual bool draw_cell([[maybe_unused]] ImDrawList& list, [[maybe_unused]] const Table& table,
                         [[maybe_unused]] std::size_t column, [[maybe_unused]] std::uint32_t row,
                         [[maybe_unused]] ImVec2 from, [[maybe_unused]] ImVec2 to) const {
    return false;
  }
};

/// Rows that lead to slices. See RowLook for `finds`.
class SliceRowLook : public RowLook {
 public:
  explicit SliceRowLook(const SliceLook& look, bool finds = false) : look_(look), finds_(finds) {}
  std::string name_text(std::string_view name) const override { return look_.name_text(name); }
  std::optional<std::uint32_t> color_of(const Table& table, std::uint32_t row) const override;
  bool finds() const override { return finds_; }

 private:
  const SliceLook& look_;
  bool finds_;
};

/// UI thread only. What a person has made of a table's columns is ImGui's, by the table's name.
class TableGrid {
 public:
  struct Actions {
    std::optional<std::uint32_t> go_to;  ///< the row that was clicked
    std::optional<std::uint32_t> find;   ///< the row whose instances are wanted
  };
  /// Where things are on screen, for tests.
  struct Places {
    std::vector<std::pair<std::string, ImVec2>> headers;     ///< by the column's key
    std::vector<std::pair<std::string, ImVec2>> filters;     ///< by the column's key
    std::vector<std::pair<std::string, ImVec2>> cell_items;  ///< of the menu of a cell
    ImVec2 first_row;
    float row_height = 0;
  };

  /// O(rows in sight).
  Actions draw(const TableResults::Rows& rows, const RowLook& look, ImVec2 size, const Theme& theme,
               float ui_scale);
  /// A menu's items that show and hide the columns of the table that was drawn last.
  void draw_column_items(const Table& table);

  /// Shows or hides the fields for conditions below the headers; hidden ones hold for every row.
  void toggle_filters() { filters_shown_ = !filters_shown_; }
  /// As typed since the last draw().
  std::vector<ColumnFilter> filters() const;
  /// As the headers say since the last draw().
  const std::vector<TableOrder>& order() const { return order_; }
  /// Selects a row of the table alone, and scrolls to it; what the table has not is none.
  void select(std::uint32_t row);
  /// Scrolls to a row of the table unless it is in sight.
  void reveal(std::uint32_t row) { reveal_ = row; }
  void clear_selection() {
    std::fill(selected_.begin(), selected_.end(), 0);
    ++selection_changes_;
  }
  /// By row of answer(): whether it is selected.
  const std::vector<char>& chosen() const { return selected_; }
  /// Counts changes of chosen().
  std::uint64_t selection_changes() const { return selection_changes_; }
  /// The table that was drawn last.
  const std::shared_ptr<const TableAnswer>& answer() const { return answer_; }
  const Places& places() const { return places_; }

 private:
  void take(const std::shared_ptr<const TableAnswer>& answer, const RowLook& look, float room,
            float ui_scale);
  void name_rows(const Table& table, const RowLook& look);
  std::string text_to_show(const Table& table, std::size_t column, std::uint32_t row,
                           const RowLook& look) const;
  void set_up_columns(const Table& table);
  void draw_headers(const Table& table, const Theme& theme, float ui_scale);
  void take_order();
  void draw_filters(const Table& table, const Theme& theme);
  void draw_cell_menu(const Table& table, const RowLook& look, Actions& actions);
  void scroll_to_revealed(const TableResults::Rows& rows);
  void click(const TableResults::Rows& rows, std::size_t place, Actions& actions);
  void draw_row(const TableResults::Rows& rows, std::size_t place, const RowLook& look, const Theme& theme,
                float ui_scale, Actions& actions);
  void draw_cells(const Table& table, std::uint32_t row, bool hovered, const RowLook& look,
                  const Theme& theme, float ui_scale) const;

  std::optional<std::uint32_t> reveal_;        // a row to scroll to
  std::shared_ptr<const TableAnswer> answer_;  // what the members below are of
  std::vector<std::string> row_names_;         // by row, told apart; empty when there are too many rows
  std::string longest_name_;  // as shown when they were made; another look shows it otherwise
  Language measured_in_ = Language::english;
  std::vector<float> widths_;  // by column, when it is first shown
  std::vector<char> enabled_;  // by column
  std::vector<char> wanted_;   // by column: what a person has just chosen
  bool choose_columns_ = false;
  std::int64_t longest_ns_ = 0;  // that bars of steps are measured by; 0: there are none
  float number_px_ = 0;          // beside them
  std::vector<char> selected_;   // by row of the table
  std::uint64_t selection_changes_ = 0;
  std::size_t anchor_ = 0;  // place where a selection of several begins
  std::vector<TableOrder> order_;
  bool filters_shown_ = false;
  std::vector<std::array<char, 64>> filter_texts_;  // by column
  std::string filtered_;                            // the table and group they are for
  bool cell_menu_ = false;                          // to be opened
  std::uint32_t cell_row_ = 0;
  std::size_t cell_column_ = 0;
  Places places_;
};

}  // namespace kino
