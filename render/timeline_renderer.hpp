// Draws lanes of slices, instants and counters of a trace into the bound framebuffer, from cached LOD tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/worker_pool.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "core/trace/timeline/stream_packing.hpp"
#include "core/trace/trace.hpp"
#include "render/lane_draw.hpp"
#include "render/time_view.hpp"

namespace kino {

/// The rectangle to draw into, in framebuffer pixels, y downwards from the framebuffer's top.
struct PixelArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  int framebuffer_height = 0;
  int pinned_height = 0;  ///< of the part at the top that only pinned lanes draw into
};

/// What one draw() cost; `cpu_ms` is processor time of the calling thread without the driver's rasterising:
/// on a software driver, whose draw calls shade in this thread, the submission of the tiles is left out.
struct DrawStats {
  double cpu_ms = 0;
  std::uint32_t tiles_drawn = 0;
  std::uint32_t tiles_missing = 0;  ///< stood in for by another level, or not there yet
  std::uint64_t instances = 0;
  std::uint64_t cache_bytes = 0;
};

/// Owned and used by the UI thread with a current OpenGL 3.3 context, also when it is destroyed; tiles are
/// built on the pool. The constructor throws std::runtime_error if the driver refuses the shaders.
class TimelineRenderer {
 public:
  /// `wake` is called from a worker whenever new tiles are ready to be drawn, and by draw() itself when tiles
  /// that are ready had to wait for the next frame.
  TimelineRenderer(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);
  TimelineRenderer(const TimelineRenderer&) = delete;
  TimelineRenderer& operator=(const TimelineRenderer&) = delete;
  ~TimelineRenderer();

  /// Colours by key of the paint, at first by NameId: 0xAABBGGRR as ImGui packs them; less alpha lets more of
  /// the background through. Keys without a colour are grey. Builds no tile.
  void set_palette(std::span<const std::uint32_t> colors);
  /// Other keys or hits, with their palette: the visible tiles are built anew, and until one is there the old
  /// one stands in with its own colours.
  void set_paint(SlicePaint paint, std::span<const std::uint32_t> colors);
  /// The share of its colour that a slice keeps which is no hit, 0 to 1; at first 1. Builds no tile.
  void set_faded(float share);
  /// Rows beyond the trace's own become those of `packed`. Once, before such a row is drawn.
  void set_packed(std::shared_ptr<const PackedStreams> packed);
  /// Counters beyond the trace's own become these, or none; also other ones, with other ids.
  void set_counters(std::shared_ptr<const DerivedCounters> counters);
  /// Colour of counters and the surface behind the tracks (cells of low coverage fade towards it).
  void set_surface_colors(std::uint32_t background, std::uint32_t counter, std::uint32_t instant);

  /// Another number after each of these calls that changes something.
  std::uint64_t version() const;

  /// Draws `lanes` (those outside the area are skipped) over what is there; idle time stays untouched. `view`
  /// is in pixels of the area. Sets scissor, viewport, blend, program, vertex array and texture state and
  /// leaves them changed, with texture unit 0 active. Never waits: what is missing is requested, and the
  /// nearest cached level stands in. O(visible tiles).
  DrawStats draw(const TimeView& view, std::span<const LaneDraw> lanes, const PixelArea& area);
  /// Whether the last draw() found every tile at the right level.
  bool complete() const;

  /// Visits slices drawn by the last draw() that are at least `min_width_px` wide, clipped to the view, for
  /// labels: each once a lane, from left to right. Finds all of 24 px or more once complete(); some narrower
  /// ones are left out.
  using LabelVisitor =
      std::function<void(const LaneDraw& lane, SliceId slice, double left_px, double right_px)>;
  void visit_wide_slices(double min_width_px, const LabelVisitor& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
