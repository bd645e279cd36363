// A tab of tables of any subject: the choice of the table, its rows, tools and status.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/all_tables_export.hpp"
#include "app/ui/tables/table_counts.hpp"
#include "app/ui/tables/table_export.hpp"
#include "app/ui/tables/table_grid.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/tables/table_selection.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// A table with a tab in the bar of a drawer.
struct TabbedTable {
  std::string_view name;   ///< name of the table
  bool if_any = false;     ///< whether there is a tab only if the table has rows
  bool expensive = false;  ///< whether rows are only counted on request, see TableTab::count_rows()
};

/// UI thread only; tables, orders and exports are computed on the pool. While the tab is not shown, it only
/// counts rows. The owner supplies the query. Between begin() and end(), the owner draws the parts of the tab
/// and its own parts.
class TableTab {
 public:
  using Controls = std::vector<std::pair<std::string, ImVec2>>;

  /// `kinds` are the tables of the tab, at least one. Paths beside `file` are suggested for saving rows.
  TableTab(std::span<const TableInfo* const> kinds, TableResults::Compute compute, std::filesystem::path file,
           WorkerPool& pool, const std::function<void()>& wake);

  /// Copies table, groups and filters from another tab of the same kinds.
  void take_choice(const TableTab& other);
  /// Replaces the tables of the tab. The tables of the shorter list must be the first of the longer one.
  void set_kinds(std::span<const TableInfo* const> kinds);
  /// Replaces the computation of tables, for instance for another recording.
  void set_compute(TableResults::Compute compute, OldRows old = OldRows::drop) {
    results_.set_compute(std::move(compute), old);
    ++computes_;
  }
  /// Sets the tables with a tab in the drawer. `tables` must have static storage.
  void set_drawer_tabs(std::span<const TabbedTable> tables) { tabbed_ = tables; }
  /// Sets the word for devices in titles of tables; see device_word(). Initially "GPU".
  void set_device_word(std::string word) { device_word_ = std::move(word); }
  /// Counts the rows of the tables with a tab from the next update() on, even while the tab is not shown. If
  /// `expensive` is set, includes expensive tables.
  void count_rows(bool expensive) {
    counts_wanted_ = true;
    counts_expensive_ = expensive;
  }
  /// Returns a tab per table of set_drawer_tabs(), with its number of rows. If another table is shown, its
  /// tab follows, with the id `page`.
  std::vector<DrawerTab> drawer_tabs(bool shown, std::string_view page) const;
  /// Chooses the table of a tab of drawer_tabs().
  void open_drawer_tab(std::string_view tab) {
    if (std::ranges::find(tabbed_, tab, &TabbedTable::name) != tabbed_.end()) choose(tab);
  }
  /// Returns the id of the tab of the chosen table: its name, or empty if it has no tab of its own.
  std::string_view drawer_tab() const;
  /// `kind` must be a table of the tab, and `group` one of its groups or empty.
  void choose(std::string_view kind, std::string_view group = {});
  void step_kind(int step);
  /// Shows only rows of the chosen table that contain `text`. Each table has a filter of its own.
  void set_filter(std::string_view text) { filters_[kind_] = text; }
  /// Handles the commands for filters and the selection. Called once per frame while the page has the
  /// keyboard.
  void handle_keys(bool shown);
  /// Lets the user save all tables of the tab. `query` returns the query for a table; the tab adds kind,
  /// group and units.
  void save_all(const std::function<TableResultQuery(const TableInfo&)>& query);
  void toggle_filters() { grid_.toggle_filters(); }
  void clear_selection() { grid_.clear_selection(); }
  void select(std::uint32_t row) { grid_.select(row); }
  void reveal(std::uint32_t row) { grid_.reveal(row); }

  /// Called once per frame. The tab adds kind, group and units to the query. If `question` is nullopt, no new
  /// table is computed.
  void update(bool shown, std::optional<TableResultQuery> question);

  /// Draws the list of tables and begins the child window beside it, which end() ends.
  void begin(ImVec2 size, const Theme& theme, float ui_scale);
  /// begin() without the list, for tabs of one table.
  void begin_alone(ImVec2 size);
  static void end();
  // Draw the tools, from left to right. Each function leaves ImGui's cursor after its tool.
  void draw_group(float ui_scale);
  void draw_filter(float ui_scale);
  void draw_columns();
  /// Also handles the keys for copying and saving the rows.
  void draw_export(bool keyboard);
  /// Draws all tools and ends their line.
  void draw_tools(const Theme& theme, float ui_scale, bool keyboard);
  /// Draws the status text and ends the line of tools.
  void draw_status(const Theme& theme);
  /// Draws a whole page that consists of tables: list, tools and rows.
  TableGrid::Actions draw_page(ImVec2 size, const RowStyle& look, const Theme& theme, float ui_scale,
                               bool keyboard);
  /// Draws the rows, or the reason why there are none, and the table's notes below.
  TableGrid::Actions draw_rows(ImVec2 size, const RowStyle& look, const Theme& theme, float ui_scale);
  /// Records the position of the last item under this name, for tests.
  void record_position(const char* name);

  /// The rows if they match the chosen table, group and device; else null.
  const TableResults::Rows* matching_rows() const;
  /// Selected rows of the table, in the order shown; empty if matching_rows() is null. In large tables the
  /// list may lag behind by a few frames.
  const std::vector<std::uint32_t>& selected() const;

  const TableInfo& kind() const { return *kinds_[kind_]; }
  std::string_view group_name() const;
  const std::string& filter() const { return filters_[kind_]; }
  const std::string& message() const { return export_.message(); }
  const TableResults::Rows* rows() const { return results_.rows(); }
  const TableGrid& grid() const { return grid_; }
  const Controls& controls() const { return controls_; }
  const TableKindList& list() const { return list_; }
  /// Whether the next frame must be drawn without input: the scrollbars of a new table need a few frames to
  /// settle.
  bool wants_frames() const { return sizing_frames_ > 0; }
  bool complete() const {
    return !results_.running() && !selection_.running() && !export_.running() && !all_.running() &&
           !counts_.running();
  }

 private:
  std::string status() const;
  void count(const TableResultQuery& question);
  bool filtered() const { return !filter().empty() || !grid_.filters().empty(); }
  void draw_no_match(const Theme& theme);

  std::span<const TableInfo* const> kinds_;
  std::function<void()> wake_;
  TableResults results_;
  TableGrid grid_;
  TableSelection selection_;
  std::uint64_t rows_changes_ = 0;
  TableKindList list_;
  TableExport export_;
  AllTablesExport all_;
  TableCounts counts_;
  std::uint64_t computes_ = 0;  // number of replaced computations
  std::span<const TabbedTable> tabbed_;
  bool counts_wanted_ = false;
  bool counts_expensive_ = false;
  Controls controls_;

  std::size_t kind_ = 0;
  std::string device_word_ = "GPU";
  std::vector<std::size_t> groups_;  // the chosen group of each kind
  std::size_t device_ = 0;           // device of the newest query
  int sizing_frames_ = 0;
  std::pair<std::size_t, bool> drawn_{0, false};  // kind, and whether it was shown, in the previous frame
  std::vector<std::string> filters_;              // text that the rows of each kind must contain
};

}  // namespace kino
