// The tab of tables in a snapshot's drawer: which one, at which moment, and what to do with its rows.
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

#include "app/band_paint.hpp"
#include "app/snapshot_state.hpp"
#include "app/table_export.hpp"
#include "app/table_grid.hpp"
#include "app/table_results.hpp"
#include "app/theme.hpp"

namespace kino {

/// Computes tables of a snapshot.
TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories);

/// UI thread only; tables, orders and exports are computed on the pool, and only while the tab is shown.
class SnapshotTables {
 public:
  struct Actions {
    AllocationId select = kNoAllocation;
    EventIndex go_to = kNoMoment;
  };
  using ColorOf = std::function<std::uint32_t(AllocationId)>;

  SnapshotTables(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path path, WorkerPool& pool,
                 const std::function<void()>& wake);

  /// With other rules of categories, everything is computed again.
  void set_categories(std::shared_ptr<SnapshotCategories> categories);
  void choose(std::string_view kind, std::string_view group = {});
  void step_kind(int step);
  /// Once a frame. `find` is a query that is known to mean something.
  void update(bool shown, const SnapshotState& state, const std::string& find, bool find_events);
  Actions draw(ImVec2 size, const SnapshotState& state, const ColorOf& color_of, const Theme& theme,
               bool keyboard);
  bool wants_frames() const { return sizing_frames_ > 0; }
  bool complete() const { return !results_->running() && !export_.running(); }

  // What is shown, for the state file.
  std::string_view kind_name() const;
  std::string_view group_name() const;
  const TableResults::Rows* rows() const { return results_->rows(); }
  const TableGrid& grid() const { return grid_; }
  const std::string& message() const { return export_.message(); }
  const std::string& filter() const { return filter_; }
  const std::vector<std::pair<std::string, ImVec2>>& controls() const { return controls_; }
  const TableKindList& kinds() const { return kinds_; }

 private:
  const TableResults::Rows* matching_rows() const;
  void note_place(const char* name);
  void draw_tools(const SnapshotState& state, const Theme& theme, bool keyboard);
  std::string status() const;
  Actions draw_content(ImVec2 size, const SnapshotState& state, const ColorOf& color_of, const Theme& theme);

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::unique_ptr<TableResults> results_;
  TableGrid grid_;
  TableKindList kinds_;
  TableExport export_;
  TableQuestion question_;
  std::array<std::size_t, 8> groups_{};  // the chosen one of each kind
  std::pair<std::size_t, bool> drawn_{0, false};
  int sizing_frames_ = 0;
  std::string filter_;
  std::array<char, 256> filter_text_{};
  std::vector<std::pair<std::string, ImVec2>> controls_;
};

}  // namespace kino
