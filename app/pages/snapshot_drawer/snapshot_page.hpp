// Interface between the pages of a snapshot's drawer and the panel that contains it.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/pages/memory_plot/plot_flags.hpp"
#include "app/pages/memory_plot/run_lane.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot_drawer/allocation_colors.hpp"
#include "app/pages/snapshot_drawer/other_snapshot.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

class TableTab;

/// Requests of the pages to the panel in this frame, in addition to their changes of SnapshotState.
struct SnapshotRequests {
  std::string find;         ///< a query to search for, or empty
  bool read_rules = false;  ///< whether to read the rules of the categories again
  std::string_view table;   ///< a table to show, or empty
};

/// Input from the panel for one frame, set before update().
struct SnapshotPageInput {
  std::string found;  ///< query of the search; empty if there is no valid one
  bool found_events = false;
  std::size_t hits = 0;  ///< number of allocations or events that the search found
  std::span<const OtherSnapshot> others;
  const SnapshotMarkers* markers = nullptr;  ///< null until they are computed
};

/// Objects of the panel that the pages use. All must outlive the pages. A worker calls `wake` when a result
/// is ready.
struct SnapshotHost {
  SnapshotState& state;
  SnapshotRequests& page_requests;
  const SnapshotPageInput& facts;
  const AllocationColors& colors;
  MatchingTraceLane& run;
  std::filesystem::path file;  ///< file of the snapshot; exports are saved beside it
  WorkerPool& pool;
  std::function<void()> wake;
};

/// A page that draws into a padded child window.
class SnapshotPage : public DrawerPage {
 public:
  explicit SnapshotPage(const SnapshotHost& host)
      : state_(host.state),
        page_requests_(host.page_requests),
        facts_(host.facts),
        colors_(host.colors),
        run_(host.run) {}

  void draw(ImVec2 size, const DrawContext& look) final;

 protected:
  virtual void draw_content(const DrawContext& look) = 0;
  /// Returns whether the page's window itself scrolls, instead of a child window.
  virtual bool scrolls() const { return false; }
  /// Returns whether the page starts with a line on what the matching trace was executing, at the cursor and
  /// at other moments.
  virtual bool shows_trace_line() const { return false; }

  SnapshotState& state() const { return state_; }
  SnapshotRequests& page_requests() const { return page_requests_; }
  const SnapshotPageInput& facts() const { return facts_; }
  const AllocationColors& colors() const { return colors_; }
  /// Makes the tab compute its tables with the current rules of the categories.
  void use_categories(TableTab& tab);

 private:
  SnapshotState& state_;
  SnapshotRequests& page_requests_;
  const SnapshotPageInput& facts_;
  const AllocationColors& colors_;
  MatchingTraceLane& run_;
  std::shared_ptr<SnapshotCategories> categories_;  // categories that use_categories() last set
};

}  // namespace kino
