// What a tab of tables is made of, whatever they are about: which table, its rows, tools and status.
#pragma once

#include <array>
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

#include "app/ui/tables/table_export.hpp"
#include "app/ui/tables/table_grid.hpp"
#include "app/ui/tables/table_results.hpp"
#include "app/ui/tables/table_selection.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/table_kind.hpp"

namespace kino {

/// UI thread only; tables, orders and exports are computed on the pool, and only while the tab is shown. Its
/// owner puts the question, and draws the parts from begin() to end() with its own between them.
class TableTab {
 public:
  using Controls = std::vector<std::pair<std::string, ImVec2>>;

  /// `kinds` are the tables of the tab, at least one. `pool` must outlive it; `wake` is called from a worker
  /// when there is news. `file` is what rows are saved beside.
  TableTab(std::span<const TableInfo* const> kinds, TableResults::Compute compute, std::filesystem::path file,
           WorkerPool& pool, const std::function<void()>& wake);

  /// The table, groups and filter of another tab of the same kinds.
  void take_choice(const TableTab& other);
  /// The tables of the tab are others, of which the first ones are the same.
  void set_kinds(std::span<const TableInfo* const> kinds);
  /// From now on tables are computed by another function, for instance of another recording.
  void set_compute(TableResults::Compute compute, OldRows old = OldRows::drop) {
    results_.set_compute(std::move(compute), old);
  }
  /// Must be one of the tab's tables, and one of its groups or empty.
  void choose(std::string_view kind, std::string_view group = {});
  void step_kind(int step);
  /// Sets the text that shown rows contain; truncated to the size of the input field.
  void set_filter(std::string_view text);
  /// Once a frame in which keys are for the page: the commands for conditions and for the selection.
  void handle_keys(bool shown);
  void toggle_filters() { grid_.toggle_filters(); }
  void clear_selection() { grid_.clear_selection(); }
  void select(std::uint32_t row) { grid_.select(row); }
  void reveal(std::uint32_t row) { grid_.reveal(row); }

  /// Once a frame. Kind and group of the question are the tab's own; without one the rows stay.
  void update(bool shown, std::optional<TableQuestion> question);

  /// The list of tables, and the child window beside it that end() ends.
  void begin(ImVec2 size, const Theme& theme, float ui_scale);
  /// The same without the list, for tabs of one table.
  void begin_alone(ImVec2 size);
  static void end();
  // The tools, from left to right; each leaves the cursor behind itself.
  void draw_group(float ui_scale);
  void draw_filter(float ui_scale);
  void draw_columns();
  /// Also handles the key that copies rows.
  void draw_export(bool keyboard);
  /// All of them; ends their line.
  void draw_tools(const Theme& theme, float ui_scale, bool keyboard);
  /// Ends the line of tools. `quiet`: only what an export has to say.
  void draw_status(bool quiet, const Theme& theme);
  /// All of a page that has nothing but tables: list, tools and rows.
  TableGrid::Actions draw_page(ImVec2 size, const RowLook& look, const Theme& theme, float ui_scale,
                               bool keyboard);
  /// The rows, or why there are none, and the table's notes below.
  TableGrid::Actions draw_rows(ImVec2 size, const RowLook& look, const Theme& theme, float ui_scale);
  /// What was drawn last gets a name, for tests.
  void note_place(const char* name);

  /// Rows that are an answer to what is chosen by now: of this table, group and device.
  const TableResults::Rows* matching_rows() const;
  /// Rows of the table, in the order shown; none while there are no matching rows. Of many rows, those of a
  /// moment ago.
  const std::vector<std::uint32_t>& selected() const;

  const TableInfo& kind() const { return *kinds_[kind_]; }
  std::string_view group_name() const;
  const std::string& filter() const { return filter_; }
  const std::string& message() const { return export_.message(); }
  const TableResults::Rows* rows() const { return results_.rows(); }
  const TableGrid& grid() const { return grid_; }
  const Controls& controls() const { return controls_; }
  const TableKindList& list() const { return list_; }
  /// Whether the next frame must follow: a new table finds its scrollbars in the frames after its first.
  bool wants_frames() const { return sizing_frames_ > 0; }
  /// Whether nothing is being computed.
  bool complete() const { return !results_.running() && !selection_.running() && !export_.running(); }

 private:
  std::string status(bool quiet) const;

  std::span<const TableInfo* const> kinds_;
  std::function<void()> wake_;
  TableResults results_;
  TableGrid grid_;
  TableSelection selection_;
  std::uint64_t rows_changes_ = 0;
  TableKindList list_;
  TableExport export_;
  Controls controls_;

  std::size_t kind_ = 0;
  std::vector<std::size_t> groups_;  // the chosen one of each kind
  std::size_t device_ = 0;           // of the newest question
  int sizing_frames_ = 0;
  std::pair<std::size_t, bool> drawn_{0, false};  // kind, and whether it was shown, in the frame before
  std::string filter_;
  std::array<char, 256> filter_text_{};
};

}  // namespace kino
