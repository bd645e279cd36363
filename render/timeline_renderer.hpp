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

/// The rectangle to draw into, in framebuffer pixels; y increases downward from the framebuffer's top.
struct PixelArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  int framebuffer_height = 0;
  int pinned_height = 0;  ///< height of the top part, which only pinned lanes draw into
};

/// Cost of one draw(). `cpu_ms` is CPU time of the calling thread without rasterization. Software drivers
/// rasterize in this thread while tiles are submitted, so with them, `cpu_ms` also excludes the submission.
struct DrawStats {
  double cpu_ms = 0;
  std::uint32_t tiles_drawn = 0;
  std::uint32_t tiles_missing = 0;  ///< replaced by another level or paint, or not drawn
  std::uint64_t instances = 0;
  std::uint64_t cache_bytes = 0;
};

/// Draws the lanes of one trace. Used by the UI thread, with the device that is current in the constructor.
/// Tiles are built on the pool. The constructor throws std::runtime_error if the driver rejects
/// the shaders.
class TimelineRenderer {
 public:
  /// A worker calls `wake` when new tiles are ready. draw() calls it if ready tiles must wait for the next
  /// frame.
  TimelineRenderer(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake);
  TimelineRenderer(const TimelineRenderer&) = delete;
  TimelineRenderer& operator=(const TimelineRenderer&) = delete;
  ~TimelineRenderer();

  /// Sets colors by key of the paint, initially by NameId. They are 0xAABBGGRR, as in ImGui; lower alpha lets
  /// the background through. Keys without a color are gray. Builds no tiles.
  void set_palette(std::span<const std::uint32_t> colors);
  /// Sets other keys or hits, with their palette. Visible tiles are built again. Until then, old tiles keep
  /// their own colors.
  void set_paint(SlicePaint paint, std::span<const std::uint32_t> colors);
  /// Sets the share of color, from 0 to 1, that a slice keeps if it is not a hit; initially 1. Builds no
  /// tiles.
  void set_unmatched_share(float share);
  /// Provides the rows of packed streams in addition to the trace's own. Call once, before such a row is
  /// drawn.
  void set_packed(std::shared_ptr<const PackedStreams> packed);
  /// Provides derived counters in addition to the trace's own; may be null. A later set may use other ids.
  void set_counters(std::shared_ptr<const DerivedCounters> counters);
  /// Sets the colors of counters, of instants, and of the surface behind the tracks. Cells of low coverage
  /// fade toward the surface.
  void set_surface_colors(std::uint32_t background, std::uint32_t counter, std::uint32_t instant);

  /// Returns a number that changes whenever a setter above may have changed the picture.
  std::uint64_t version() const;

  /// Draws `lanes` over the existing pixels and leaves idle time untouched. Lanes outside the area are
  /// skipped. `view` is in pixels of the area. Never waits: missing tiles are requested, and the
  /// nearest cached level replaces them. O(visible tiles).
  DrawStats draw(const TimeView& view, std::span<const LaneDraw> lanes, const PixelArea& area);
  /// Whether the last draw() found every tile at the right level.
  bool complete() const;

  using LabelVisitor =
      std::function<void(const LaneDraw& lane, SliceId slice, double left_px, double right_px)>;
  /// Visits slices of the last draw() that are at least `min_width_px` wide, clipped to the view, for labels.
  /// Each slice is visited once per lane, from left to right. If complete(), all slices of 24 px or more are
  /// visited; some narrower ones are left out.
  void visit_wide_slices(double min_width_px, const LabelVisitor& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kino
