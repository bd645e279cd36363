// Draws lanes of slices, instants and counters of a trace into the bound framebuffer, from cached LOD tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/trace.hpp"
#include "core/worker_pool.hpp"
#include "render/time_view.hpp"

namespace kino {

/// One line to draw: what it shows and where it lies, in px from the top of the area.
struct LaneDraw {
  enum class Kind : std::uint8_t { slices, instants, counter };
  Kind kind = Kind::slices;
  std::uint32_t index = 0;  ///< RowId for slices, TrackId for instants and counters
  float top_px = 0;
  float height_px = 0;
};

/// The rectangle to draw into, in framebuffer pixels, y downwards from the framebuffer's top.
struct PixelArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  int framebuffer_height = 0;
};

/// What one draw() cost; `cpu_ms` is processor time of the calling thread without the driver's rasterising.
struct DrawStats {
  double cpu_ms = 0;
  std::uint32_t tiles_drawn = 0;
  std::uint32_t tiles_missing = 0;  ///< stood in for by another level, or not there yet
  std::uint64_t instances = 0;
  std::uint64_t cache_bytes = 0;
};

/// Owned and used by the UI thread with a current OpenGL 3.3 context; tiles are built on the pool.
class TimelineRenderer {
 public:
  /// `wake` is called from a worker whenever new tiles are ready to be drawn.
  TimelineRenderer(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);
  TimelineRenderer(const TimelineRenderer&) = delete;
  TimelineRenderer& operator=(const TimelineRenderer&) = delete;
  ~TimelineRenderer();

  /// Colours by NameId, 0xAABBGGRR as ImGui packs them. Highlighting and filtering change these, never a tile.
  void set_name_colors(std::span<const std::uint32_t> colors);
  /// Colour of counters and the surface behind the tracks (cells of low coverage fade towards it).
  void set_surface_colors(std::uint32_t background, std::uint32_t counter, std::uint32_t instant);

  /// Draws `lanes` (those outside the area are skipped). Sets scissor, viewport, blend and program state and leaves
  /// them changed. Never waits: what is missing is requested, and the nearest cached level stands in.
  DrawStats draw(const TimeView& view, std::span<const LaneDraw> lanes, const PixelArea& area);
  /// Whether the last draw() found every tile at the right level.
  bool complete() const;

  /// Visits slices drawn by the last draw() that are at least `min_width_px` wide, clipped to the view, for labels.
  using LabelVisitor = std::function<void(const LaneDraw& lane, SliceId slice, double left_px, double right_px)>;
  void visit_wide_slices(double min_width_px, const LabelVisitor& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
