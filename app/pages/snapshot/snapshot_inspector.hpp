// The panel on the right of a snapshot: the selected allocation, or sums of the memory at the cursor.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot/live_sums.hpp"
#include "app/pages/snapshot_drawer/allocation_colors.hpp"
#include "app/pages/snapshot_drawer/allocation_details.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/drawer/inspector_frame.hpp"
#include "core/base/worker_pool.hpp"

namespace kino {

/// Returns lines on the memory after `event`: the live bytes, reserved memory if it is known, and the time since
/// the first event if the events have times.
std::vector<std::string> moment_lines(const SnapshotDevice& device, EventIndex event, const LiveSums& live);

/// UI thread only. The sums are computed on the pool, and only while they are shown.
class SnapshotInspector {
 public:
  SnapshotInspector(WorkerPool& pool, std::function<void()> wake)
      : pool_(pool), wake_(wake), details_(std::move(wake)) {}

  /// Handles the keys of the panel and the drawer, and sets SnapshotState::inspector_px. Call once per frame,
  /// before SnapshotState::place(). `sizes` may be null.
  void handle_keys(SnapshotState& state, Splitters* sizes, bool keyboard, float page_px);
  /// Draws the panel. A click on an allocation selects it.
  void draw(SnapshotState& state, const AllocationColors& colors, Splitters* sizes, const DrawContext& look);
  bool complete() const { return !shown_ || !sums_.running(); }
  void write_test_state(const SnapshotState& state, nlohmann::ordered_json& panel) const;

 private:
  struct Query {
    std::size_t device = 0;
    EventIndex event = kBeforeRecording;
    std::weak_ptr<SnapshotCategories> categories;
    bool operator==(const Query& other) const {
      return device == other.device && event == other.event && !categories.owner_before(other.categories) &&
             !other.categories.owner_before(categories);
    }
  };
  struct Sums {
    std::size_t device = 0;
    LiveSums live;
  };

  void ask(const SnapshotState& state, const AllocationColors& colors);
  void draw_block(SnapshotState& state, const AllocationColors& colors, const DrawContext& look);
  void draw_sums(SnapshotState& state, const AllocationColors& colors, const DrawContext& look) const;

  WorkerPool& pool_;
  std::function<void()> wake_;
  InspectorFrame frame_;
  bool shown_ = false;  // whether the panel is shown in this frame
  AllocationDetails details_;
  std::optional<Query> asked_;
  BackgroundResult<Sums> sums_;
};

}  // namespace kino
