// The plot "active memory over time": bands of allocations, rulers, peak, cursor and markers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

/// Draws the plot, and computes its layout, raster and markers on workers. Requires a current OpenGL context.
class MemoryPlot {
 public:
  MemoryPlot(std::shared_ptr<const Snapshot> snapshot, WorkerPool& pool, std::function<void()> wake);

  /// Takes finished results, stores the layout and the steps in the state, and requests missing results. Call
  /// after state.place().
  void update(SnapshotState& state);
  /// The allocation and the moment at a point of the raster. Exact for the moment of the column and the
  /// middle of the row.
  struct Pick {
    AllocationId allocation = kNoAllocation;
    EventIndex moment = kNoMoment;
  };
  Pick pick(const SnapshotState& state, ImVec2 at) const;
  /// Updates the palette to the theme, also for color_of(). Call once per frame.
  void use(const Theme& theme);
  /// Draws the plot. Call after use(). `state` must live until the frame is rendered.
  void draw(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  /// Returns whether the plot is final: its raster has full resolution or could not be computed, and neither
  /// a layout nor markers are being computed.
  bool complete() const {
    return (complete_ || raster_.failed()) && !bands_.running() && !markers_.running();
  }
  /// Replaces the colors of stacks by those of `paint`; see BandPaint.
  void set_paint(const BandPaint& paint) { renderer_.set_paint(paint.of_allocation, paint.searched); }
  /// Returns the color of unknown categories. Allocations made before the recording are tinted towards it.
  static std::uint32_t gray(const Theme& theme) { return theme.dark ? 0xff6b6b6bU : 0xffb4b4b4U; }
  /// Returns the color of reserved but free memory in the layout by address.
  static std::uint32_t free_color(const Theme& theme) { return mixed(theme.track_area, gray(theme), 0.22); }
  /// Returns the markers of the shown device; null until they are computed.
  const SnapshotMarkers* markers(const SnapshotState& state) const;
  /// Returns the labels over the plot as last drawn. They do not overlap.
  const std::vector<PlotLabel>& labels() const { return labels_; }
  /// Returns the color of a group of allocations in the current palette.
  std::uint32_t color_of(std::uint32_t group) const;

 private:
  static void render(const ImDrawList* list, const ImDrawCmd* command);
  void request_bands(ImDrawList& list, const SnapshotState& state, const Theme& theme);
  void update_bands(SnapshotState& state);
  void draw_reserved(ImDrawList& list, const SnapshotState& state, const Theme& theme) const;
  static void draw_reserved_label(ImDrawList& list, const SnapshotState& state, const PlotRaster& shown,
                                  const Theme& theme);

  std::shared_ptr<const Snapshot> snapshot_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  MemoryRenderer renderer_;
  BackgroundResult<PlotRaster> raster_;
  PlotGeometry requested_raster_;
  BackgroundResult<std::shared_ptr<const BandLayout>> bands_;
  struct BandsQuery {
    PlotLayout kind = PlotLayout::stacked;
    std::size_t device = 0;
    std::shared_ptr<const SnapshotHits> only;
    bool operator==(const BandsQuery&) const = default;
  };
  std::optional<BandsQuery> requested_bands_;
  BackgroundResult<SnapshotMarkers> markers_;
  std::size_t requested_markers_ = ~std::size_t{0};
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
