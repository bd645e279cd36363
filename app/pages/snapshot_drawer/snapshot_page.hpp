// What the pages of a snapshot's drawer share: what they get from the panel, how they ask it for something.
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

/// What pages asked the panel for in this frame, beside what they did to the SnapshotState.
struct SnapshotAsks {
  std::string find;         ///< to be searched for; empty: nothing
  bool read_rules = false;  ///< of the categories, again
  std::string_view table;   ///< of the tables, to be shown; empty: none
};

/// What the panel tells in a frame, before update().
struct SnapshotFacts {
  std::string found;  ///< a query that is known to mean something; empty: no search
  bool found_events = false;
  std::span<const OtherSnapshot> others;
  const SnapshotMarkers* markers = nullptr;  ///< null until they are known
};

/// All of it outlives the pages. `wake` is called from a worker when there is news.
struct SnapshotHost {
  SnapshotState& state;
  SnapshotAsks& asks;
  const SnapshotFacts& facts;
  const AllocationColors& colors;
  RunLane& run;
  std::filesystem::path file;  ///< what exports are saved beside
  WorkerPool& pool;
  std::function<void()> wake;
};

/// A page in a padded window of its own.
class SnapshotPage : public DrawerPage {
 public:
  explicit SnapshotPage(const SnapshotHost& host)
      : state_(host.state), asks_(host.asks), facts_(host.facts), colors_(host.colors), run_(host.run) {}

  void draw(ImVec2 size, const DrawerLook& look) final;

 protected:
  /// Into the current window.
  virtual void draw_content(const DrawerLook& look) = 0;
  /// Whether the window scrolls, and not something in it.
  virtual bool scrolls() const { return false; }
  /// Whether it begins with what the trace of the same run tells of the cursor's moment.
  virtual bool tells_moments() const { return false; }

  SnapshotState& state() const { return state_; }
  SnapshotAsks& asks() const { return asks_; }
  const SnapshotFacts& facts() const { return facts_; }
  const AllocationColors& colors() const { return colors_; }

 private:
  SnapshotState& state_;
  SnapshotAsks& asks_;
  const SnapshotFacts& facts_;
  const AllocationColors& colors_;
  RunLane& run_;
};

}  // namespace kino
