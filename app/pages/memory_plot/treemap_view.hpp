// The segments of a snapshot without a history as a treemap, shown instead of the plot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <imgui.h>

#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/pages/memory_plot/treemap_svg.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/memory/snapshot.hpp"

namespace kino {

class TreemapView {
 public:
  using Colors = std::function<std::uint32_t(AllocationId)>;

  TreemapView(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake)
      : snapshot_(std::move(snapshot)), pool_(pool), wake_(std::move(wake)) {}

  static Box area_of(const SnapshotState& state);
  /// Takes a finished treemap and requests a missing one. Call once per frame, after state.place(), while the
  /// device has only segments.
  void update(const SnapshotState& state);
  /// Sets state.hovered to the allocation under the mouse, which a click selects.
  void handle_mouse(SnapshotState& state);
  void draw(ImDrawList& list, const SnapshotState& state, const Colors& colors, const Theme& theme);
  bool complete() const { return !answer_.running(); }

  /// Returns the treemap; null until the first one is computed, and while it belongs to another device.
  const TreemapResult* answer(const SnapshotState& state) const;
  const TreemapBox* hovered(const SnapshotState& state) const;

 private:
  void draw_block(ImDrawList& list, const SnapshotState& state, const TreemapResult& shown,
                  const TreemapBox& box, const Colors& colors, const Theme& theme) const;
  void draw_text(ImDrawList& list, const TreemapResult& shown, const TreemapBox& box, ImVec2 from, ImVec2 to,
                 std::uint32_t color, std::uint32_t backing, float ui_scale) const;
  void draw_card(const SnapshotState& state, const TreemapResult& shown, const TreemapBox& box,
                 const Theme& theme) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::optional<TreemapParams> requested_;
  BackgroundResult<TreemapResult> answer_;
  std::optional<ImVec2> mouse_;  // mouse position over the boxes, in the boxes' coordinates
};

}  // namespace kino
