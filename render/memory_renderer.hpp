// Draws a raster of active memory over time into the bound framebuffer. The shader applies colors and
// highlights.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory/memory_raster.hpp"
#include "render/gpu.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Maps a pixel, relative to the area's left and bottom edges, to a raster cell: cell = px * scale + first.
struct RasterMapping {
  double column_per_px = 1;
  double first_column = 0;
  double row_per_px = 1;
  double first_row = 0;
};

struct BandColors {
  std::uint32_t background = 0;  ///< 0xAABBGGRR, as all colors
  std::uint32_t older = 0;       ///< tint of allocations made before the recording
  std::uint32_t highlight = 0;
  std::uint32_t free = 0;  ///< reserved memory without an allocation
};

struct BandHighlight {
  std::uint32_t group = kNoBandGroup;  ///< highlighted group; the others fade, unless a search found them
  AllocationId selected = kNoAllocation;
  AllocationId hovered = kNoAllocation;
};

/// Draws one raster. Used by the UI thread, with the device that is current in the constructor. The
/// constructor throws std::runtime_error if the driver rejects the shaders.
class MemoryRenderer {
 public:
  static constexpr std::size_t kColors = 64;

  MemoryRenderer();
  /// Sets the colors of groups: group n has the color n modulo kColors.
  void set_palette(std::span<const std::uint32_t, kColors> colors);
  /// Replaces the raster to draw. O(cells).
  void set_raster(const MemoryRaster& raster);
  /// Sets one byte per allocation: its color index, plus 64 for the color BandColors::older and 128 for
  /// faded. If `of_search`, allocations that are not faded are hits, which do not fade if another group is
  /// highlighted. If `paint` is empty or too large for a texture, groups have their colors again.
  /// O(allocations).
  void set_paint(std::span<const std::uint8_t> paint, bool of_search);
  /// Returns a number that changes with each call of the setters above.
  std::uint64_t version() const { return version_; }
  /// Draws over the existing pixels. Cells without memory leave them unchanged.
  void draw(const PixelArea& area, const RasterMapping& mapping, const BandColors& colors,
            const BandHighlight& highlight) const;

 private:
  Gpu& gpu_;
  GpuTexture cells_;
  GpuTexture palette_;
  GpuTexture paint_;
  bool painted_ = false;
  bool found_ = false;
  int columns_ = 0;
  int rows_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace kino
