// The tab of tables in a snapshot's drawer: which one, at which moment, and what to do with its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot_drawer/snapshot_compare.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Computes snapshot_table_kinds(), the comparison with the snapshot that the question names.
TableResults::Compute tables_of(std::shared_ptr<const Snapshot> snapshot,
                                std::shared_ptr<SnapshotCategories> categories);

/// UI thread only; see TableTab.
class SnapshotTables {
 public:
  struct Actions {
    std::optional<AllocationId> select;  ///< none of a comparison's rows that are only in the other one
    EventIndex go_to = kNoMoment;
  };
  using ColorOf = std::function<std::uint32_t(AllocationId)>;

  SnapshotTables(std::shared_ptr<const Snapshot> snapshot, std::filesystem::path path, WorkerPool& pool,
                 const std::function<void()>& wake);

  /// With other rules of categories, everything is computed again.
  void set_categories(std::shared_ptr<SnapshotCategories> categories);
  void choose(std::string_view kind, std::string_view group = {}) { tab_.choose(kind, group); }
  void step_kind(int step) { tab_.step_kind(step); }
  void toggle_filters() { tab_.toggle_filters(); }
  /// Once a frame. `find` is a query that is known to mean something.
  void update(bool shown, const SnapshotState& state, const std::string& find, bool find_events,
              std::span<const OtherSnapshot> others);
  Actions draw(ImVec2 size, const SnapshotState& state, const ColorOf& color_of, const Theme& theme,
               bool keyboard);
  bool wants_frames() const { return tab_.wants_frames(); }
  bool complete() const { return tab_.complete(); }

  /// What is shown, for the state file.
  const TableTab& tab() const { return tab_; }
  const SnapshotCompare& compare() const { return compare_; }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::function<void()> wake_;
  TableTab tab_;
  SnapshotCompare compare_;
  std::size_t rules_ = 0;  // a number for the categories
};

}  // namespace kino
