// The plot "active memory over time": bands of allocations, rulers, the peak, the cursor, what it marks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <imgui.h>

#include "app/pages/memory_plot/band_paint.hpp"
#include "app/pages/memory_plot/plot_flags.hpp"
#include "app/pages/memory_plot/plot_raster.hpp"
#include "app/pages/memory_plot/snapshot_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/widgets/theme.hpp"
#include "render/memory_renderer.hpp"

namespace kino {

/// Lives on the UI thread with a current OpenGL context.
class MemoryPlot {
 public:
  MemoryPlot(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake);

  /// Takes over what was computed, state.bands and steps included, and asks for what the view lacks. Once a
  /// frame, after state.place().
  void update(SnapshotState& state);
  /// What lies under a point of the plot, as the raster on screen has it: exact for that column's moment and
  /// the middle of that row.
  struct Pick {
    AllocationId allocation = kNoAllocation;
    EventIndex moment = kNoMoment;
  };
  Pick pick(const SnapshotState& state, ImVec2 at) const;
  /// The colours follow the theme, also of what is drawn elsewhere. Once a frame.
  void use(const Theme& theme);
  /// After use(). `state` must live until the frame is rendered.
  void draw(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  /// Whether what was last drawn is sharp.
  bool complete() const {
    return (complete_ || raster_.failed()) && !bands_.running() && !markers_.running();
  }
  /// Colours of bands other than those of stacks; see BandPaint.
  void set_paint(const BandPaint& paint) { renderer_.set_paint(paint.of_allocation, paint.searched); }
  /// What is older than the recording is tinted towards it, and what is other has it.
  static std::uint32_t grey(const Theme& theme) { return theme.dark ? 0xff6b6b6bU : 0xffb4b4b4U; }
  /// Of what is reserved, but free, where the layout shows that.
  static std::uint32_t free_color(const Theme& theme) { return mixed(theme.track_area, grey(theme), 0.22); }
  /// Null until it is known, for the device that is shown.
  const SnapshotMarkers* markers(const SnapshotState& state) const;
  /// Over the plot, as they were last drawn; no two lie over each other.
  const std::vector<PlotLabel>& labels() const { return labels_; }
  /// The colour of a group of allocations; palettes follow the theme.
  std::uint32_t color_of(std::uint32_t group) const;

 private:
  static void render(const ImDrawList* list, const ImDrawCmd* command);
  void request_bands(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  void update_bands(SnapshotState& state);
  void draw_reserved(ImDrawList& list, const SnapshotState& state, const Theme& theme) const;

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  MemoryRenderer renderer_;
  BackgroundResult<PlotRaster> raster_;
  PlotGeometry raster_asked_;
  BackgroundResult<std::shared_ptr<const BandLayout>> bands_;
  struct BandsQuestion {
    PlotLayout kind = PlotLayout::stacked;
    std::size_t device = 0;
    std::shared_ptr<const SnapshotHits> only;
    bool operator==(const BandsQuestion&) const = default;
  };
  std::optional<BandsQuestion> bands_asked_;
  BackgroundResult<SnapshotMarkers> markers_;
  std::size_t markers_asked_ = ~std::size_t{0};
  std::vector<std::uint32_t> palette_;
  bool palette_dark_ = false;
  bool complete_ = false;
  std::vector<PlotLabel> labels_;
  PixelArea area_;
  RasterMapping mapping_;
  BandColors colors_;
  BandHighlight highlight_;
};

}  // namespace kino
