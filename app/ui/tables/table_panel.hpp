// The drawer's tab with the tables: which one, of what part of the trace, and what to do with its rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/ui/tables/row_instances.hpp"
#include "app/ui/tables/summary_view.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/slice_look.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/trace/steps.hpp"

namespace kino {

/// What a table sums up.
enum class TableScope : std::uint8_t { whole, range, step };

/// UI thread only; see TableTab.
class TablePanel {
 public:
  struct Actions {
    SliceId go_to = kNoSlice;
    std::optional<TimeRange> range;  ///< to be marked and gone to, beside `go_to`
    std::string find;                ///< to be searched for; empty: nothing
    std::string sql;                 ///< to be asked; empty: nothing
    /// Examples of a finding, the worst first, which `]` steps through. May be empty.
    std::vector<TimelineState::Examples::Place> examples;
  };

  /// `look` and `pool` must outlive it; `wake` is called from a worker when there is news.
  TablePanel(std::shared_ptr<const Trace> trace, std::filesystem::path trace_path, const SliceLook& look,
             WorkerPool& pool, const std::function<void()>& wake);

  /// The table, group and scope of another panel, and its filter.
  void take_choice(const TablePanel& other);
  void choose(std::string_view kind) { tab_.choose(kind); }
  void step_kind(int step) { tab_.step_kind(step); }
  void step_scope();
  void toggle_filters() { tab_.toggle_filters(); }
  void clear_selection() { tab_.clear_selection(); }
  /// The next (1) or previous (-1) slice that the selected row sums up; kNoSlice without such a row.
  SliceId step_instance(int step);

  /// Once a frame. `steps` may be null; `selected` is what a person has selected.
  void update(bool shown, std::optional<TimeRange> marked, const Steps* steps, SliceId selected);
  /// Draws into a child window of `size`. O(rows in sight).
  Actions draw(ImVec2 size, const Theme& theme, float ui_scale, bool keyboard);
  bool wants_frames() const { return tab_.wants_frames(); }
  bool complete() const { return tab_.complete() && instances_.complete(); }

  /// What the selected row sums up, while the tab is shown: to be marked on the timeline. Null: nothing.
  std::shared_ptr<const SliceSet> highlighted() const;

  // What is shown, for the state file.
  TableScope scope() const { return scope_; }
  const TableTab& tab() const { return tab_; }
  const SummaryView& summary() const { return summary_; }
  const RowInstancesView& instances() const { return instances_; }

 private:
  /// Of the choice as it stands; nothing while there is no range or step.
  std::optional<TableQuestion> question() const;
  /// Not a grid.
  bool is_page() const { return &tab_.kind() == &kSummaryTable; }
  void draw_tools(const Theme& theme, float ui_scale, bool keyboard, Actions& actions);
  void draw_scope(float ui_scale);
  /// Shows the rows of its examples, and gives the examples to the actions.
  void show_finding(const Table& table, std::uint32_t row, Actions& actions);
  void draw_content(ImVec2 size, const Theme& theme, float ui_scale, Actions& actions);
  /// The search for the slices of a row; empty when it has no name.
  std::string find_text(const Table& table, std::uint32_t row) const;

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const RangeAnalyses> analyses_;
  SliceRowLook look_;
  TableTab tab_;
  RowInstancesView instances_;
  SummaryView summary_;

  TableScope scope_ = TableScope::whole;
  std::optional<TimeRange> range_;
  std::optional<TimeRange> gone_to_range_;  // marked from here: what the table sums up stays
  std::optional<std::int64_t> step_;        // the number of the step that was selected last
  SliceId selected_ = kNoSlice;
  SliceId step_selection_ = kNoSlice;  // what step_ was looked up for
  SliceId gone_to_ = kNoSlice;         // selected from here: the step stays
  bool shown_ = false;
};

}  // namespace kino
