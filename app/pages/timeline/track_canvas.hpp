// The area of the tracks: stripes and grid, slices drawn by the GPU, labels, idle bands, and outlines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <imgui.h>

#include "app/pages/timeline/overlays/annotation_brackets.hpp"
#include "app/pages/timeline/overlays/idle_band.hpp"
#include "app/pages/timeline/overlays/slice_labels.hpp"
#include "app/ui/layers/folded_passes.hpp"
#include "app/ui/view/slice_style.hpp"
#include "app/ui/view/timeline_state.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/base/worker_pool.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Draws the area of the tracks. Requires a current OpenGL context.
class TrackCanvas {
 public:
  /// `look` and `pool` must outlive the object. A worker calls `wake` when a result is ready.
  TrackCanvas(const std::shared_ptr<const Trace>& trace, const SliceStyle& look, WorkerPool& pool,
              const std::function<void()>& wake);
  TrackCanvas(const TrackCanvas&) = delete;  // the draw list's callback uses the object's address
  TrackCanvas& operator=(const TrackCanvas&) = delete;

  /// Returns the renderer that draws the slices, to set their colors and the added streams and counters.
  TimelineRenderer& renderer() { return renderer_; }
  FoldedPasses& folded() { return folded_; }
  IdleBand& idle() { return idle_; }
  const IdleBand& idle() const { return idle_; }
  const FoldedPasses& folded() const { return folded_; }
  /// Updates the idle bands and folded passes. Call once per frame, before TimelineState::place().
  /// `emphasizes`: whether some slices are emphasized.
  void update(const TimelineState& state, bool emphasizes) {
    idle_.update(state.idle_band);
    folded_.update(state, emphasizes);
  }
  /// Emphasis of the slices that ImGui draws; see the palette of the renderer for the others.
  struct Emphasis {
    BracketStyle brackets;
    std::optional<std::uint32_t> chosen;  ///< key of the chosen legend entry
  };
  /// Draws the tracks. The GPU draws slices when the window is rendered, so labels belong to the slices of
  /// the previous frame.
  void draw(ImDrawList& list, const TimelineState& state, const Emphasis& emphasis, const Theme& theme);

  /// Returns whether labels match the slices. If not, another frame is required.
  bool labels_fresh() const { return labels_fresh_; }
  bool complete() const {
    return frames_drawn_ > 0 && renderer_.complete() && labels_fresh_ && idle_.complete() &&
           folded_.complete();
  }
  const DrawStats& stats() const { return stats_; }

 private:
  void request_slices(ImDrawList& list, const TimelineState& state);
  void draw_labels(ImDrawList& list, const TimelineState& state, const Theme& theme);
  static void render(const ImDrawList* list, const ImDrawCmd* command);

  TimelineRenderer renderer_;
  SliceLabels labels_;
  IdleBand idle_;
  FoldedPasses folded_;
  // Input of the renderer for this frame, in framebuffer px, and its statistics of the previous frame.
  TimeView drawn_view_;
  std::vector<LaneDraw> drawn_lanes_;
  PixelArea drawn_area_;
  DrawStats stats_;
  std::uint64_t frames_drawn_ = 0;
  TimeView labelled_view_;
  TrackScroll labelled_scroll_{-1};
  bool labels_fresh_ = false;
};

}  // namespace kino
