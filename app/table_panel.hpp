// The drawer's tab with the tables: which one, of what part of the trace, and what to do with its rows.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/slice_look.hpp"
#include "app/summary_view.hpp"
#include "app/table_export.hpp"
#include "app/table_grid.hpp"
#include "app/table_request.hpp"
#include "app/table_results.hpp"
#include "app/theme.hpp"
#include "core/steps.hpp"
#include "core/worker_pool.hpp"

namespace kino {

/// What a table sums up.
enum class TableScope : std::uint8_t { whole, range, step };

/// UI thread only; tables, orders and exports are computed on the pool, and only while the tab is shown.
class TablePanel {
 public:
  struct Actions {
    SliceId go_to = kNoSlice;
    std::string find;  ///< to be searched for; empty: nothing
  };
  /// Where things are on screen, for tests.
  struct Places {
    std::vector<std::pair<std::string, ImVec2>> controls;
    ImVec2 kinds;  ///< the first one of the list
    float kind_height = 0;
  };

  /// `look` and `pool` must outlive it; `wake` is called from a worker when there is news.
  TablePanel(std::shared_ptr<const Trace> trace, std::filesystem::path trace_path, const SliceLook& look,
             WorkerPool& pool, const std::function<void()>& wake);

  /// The table, group and scope of another panel, and its filter.
  void take_choice(const TablePanel& other);
  void choose_kind(std::size_t kind);
  void step_kind(int step);
  void step_scope();
  void toggle_filters() { grid_.toggle_filters(); }

  /// Once a frame. `steps` may be null; `selected` is what a person has selected.
  void update(bool shown, std::optional<TimeRange> marked, const Steps* steps, SliceId selected);
  /// Draws into a child window of `size`. O(rows in sight).
  Actions draw(ImVec2 size, const Theme& theme, float ui_scale, bool keyboard);
  /// Whether the next frame must follow: a new table finds its scrollbars in the frames after its first.
  bool wants_frames() const { return sizing_frames_ > 0; }
  /// Whether nothing is being computed.
  bool complete() const { return !results_.running() && !export_.running(); }

  // What is shown, for the state file.
  std::string_view kind_name() const;
  std::string_view group_name() const;
  TableScope scope() const { return scope_; }
  const std::string& filter() const { return filter_; }
  const std::string& message() const { return export_.message(); }
  const TableResults::Rows* rows() const { return results_.rows(); }
  const TableGrid& grid() const { return grid_; }
  const SummaryView& summary() const { return summary_; }
  const Places& places() const { return places_; }

 private:
  /// Of the choice as it stands; nothing while there is no range or step.
  std::optional<TableQuestion> question() const;
  /// Rows that are an answer to what is chosen by now: of this table and group.
  const TableResults::Rows* matching_rows() const;
  void note_place(const char* name);
  void draw_tools(const Theme& theme, float ui_scale, bool keyboard, Actions& actions);
  void draw_group(float ui_scale);
  void draw_scope(float ui_scale);
  std::string status() const;
  void draw_content(ImVec2 size, const Theme& theme, float ui_scale, Actions& actions);
  /// The search for the slices of a row; empty when it has no name.
  std::string find_text(const Table& table, std::uint32_t row) const;

  std::shared_ptr<const Trace> trace_;
  SliceRowLook look_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  TableResults results_;
  TableGrid grid_;
  TableKindList kinds_;
  SummaryView summary_;
  TableExport export_;
  Places places_;

  std::size_t kind_ = 0;
  std::vector<std::size_t> groups_;  // the chosen one of each kind
  TableScope scope_ = TableScope::whole;
  std::optional<TimeRange> range_;
  std::optional<std::int64_t> step_;   // the number of the step that was selected last
  SliceId step_selection_ = kNoSlice;  // what step_ was looked up for
  SliceId gone_to_ = kNoSlice;         // selected by a click on a row: the step stays
  int sizing_frames_ = 0;
  std::pair<std::size_t, bool> drawn_{0, false};  // kind, and whether it was shown, in the frame before
  std::string filter_;
  std::array<char, 256> filter_text_{};
};

}  // namespace kino
