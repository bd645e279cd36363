// The allocator's state at the cursor: segments with their blocks, fragmentation, and a list of the entries.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/snapshot_drawer/event_list.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/segment_map.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

struct SegmentParams {
  std::size_t device = 0;
  EventIndex event = kBeforeRecording;
  double width_px = 0;
  double rows = 1;  ///< number of rows that fit into the window
  double zoom = 1;
  bool operator==(const SegmentParams&) const = default;
};

struct SegmentResult {
  SegmentParams question;
  AllocatorLayout layout;
  SegmentMap map;
  Fragmentation memory;
};
/// Computes the layout of the segments after an event, its fragmentation, and the boxes to draw. O(live * log
/// live + spans).
SegmentResult compute_segments(const SnapshotDevice& device, const SegmentParams& question,
                               const std::stop_token& stop = {});

class SegmentView {
 public:
  using Colors = std::function<std::uint32_t(AllocationId)>;

  SegmentView(const std::shared_ptr<const Snapshot>& snapshot, WorkerPool& pool,
              const std::function<void()>& wake)
      : snapshot_(snapshot), pool_(pool), wake_(wake), events_(snapshot, pool, wake) {}

  /// Takes finished results and requests missing ones. Call once per frame. Computes nothing unless the page
  /// is `shown`.
  void update(const SnapshotState& state, bool shown);
  void handle_keys(SnapshotState& state);
  /// Draws the view. A click on a block selects its allocation. A click on an entry moves the cursor there
  /// and selects the allocation of the entry, if it has one.
  void draw(SnapshotState& state, const Colors& colors, const Theme& theme);
  bool complete() const { return !answer_.running() && events_.complete(); }

  /// Returns the segments; null until the first result is computed.
  const SegmentResult* answer() const { return answer_.value(); }
  const EventList& events() const { return events_; }
  /// Returns the center of the selected allocation's first box, for tests.
  std::optional<ImVec2> selected_place() const { return selected_place_; }
  /// Returns the index in the layout of the block under the mouse.
  std::optional<std::uint32_t> hovered() const { return hovered_; }

 private:
  void draw_figures(const SnapshotState& state, const Theme& theme) const;
  void draw_map(SnapshotState& state, const Colors& colors, const Theme& theme);
  void draw_row(ImDrawList& list, const SnapshotState& state, std::size_t row, ImVec2 corner, float height,
                const Colors& colors, const Theme& theme);
  void draw_box(ImDrawList& list, const SnapshotState& state, const MapBox& box, ImVec2 from, ImVec2 to,
                const Colors& colors, const Theme& theme);
  void draw_card(const SnapshotState& state, const MapBox& box, const Theme& theme) const;
  void click(SnapshotState& state, const MapBox& box) const;
  std::string group_text(const SegmentGroup& group) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  EventList events_;
  double width_px_ = 0;  // width of the map in the previous frame
  double rows_ = 0;
  double zoom_ = 1;
  std::optional<SegmentParams> requested_;
  BackgroundResult<SegmentResult> answer_;
  std::optional<ImVec2> selected_place_;
  std::optional<std::uint32_t> hovered_;
};

}  // namespace kino
