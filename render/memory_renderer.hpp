// Draws a raster of active memory over time into the bound framebuffer; colours and highlights are the
// shader's.
#pragma once

#include <cstdint>
#include <span>

#include "core/memory/memory_raster.hpp"
#include "render/gl_objects.hpp"
#include "render/timeline_renderer.hpp"

namespace kino {

/// Which cell lies under a pixel of the area, counted from its left and bottom edge: cell = px * scale +
/// first.
struct RasterMapping {
  double column_per_px = 1;
  double first_column = 0;
  double row_per_px = 1;
  double first_row = 0;
};

struct BandColors {
  std::uint32_t background = 0;  ///< 0xAABBGGRR, as all colours
  std::uint32_t older = 0;       ///< what is older than the recording is tinted towards it
  std::uint32_t highlight = 0;
  std::uint32_t free = 0;  ///< reserved, but without an allocation
};

struct BandHighlight {
  std::uint32_t group = kNoBandGroup;  ///< the others fade, unless a search has found them
  AllocationId selected = kNoAllocation;
  AllocationId hovered = kNoAllocation;
};

/// Owned and used by the UI thread with a current OpenGL 3.3 context, also when it is destroyed. The
/// constructor throws std::runtime_error if the driver refuses the shaders.
class MemoryRenderer {
 public:
  static constexpr std::size_t kColors = 64;

  MemoryRenderer();
  /// A group has the colour of its number, modulo how many there are.
  void set_palette(std::span<const std::uint32_t, kColors> colors);
  /// Replaces what is drawn. O(cells).
  void set_raster(const MemoryRaster& raster);
  /// A byte an allocation, by its number: the number of its colour, 64 for grey, and 128 for what fades.
  /// `of_search`: what does not fade is what was found, and keeps its colour whatever is highlighted.
  /// Without any, and for more than textures hold, groups have their colours again. O(allocations).
  void set_paint(std::span<const std::uint8_t> paint, bool of_search);
  /// Another number after each of these calls.
  std::uint64_t version() const { return version_; }
  /// Draws over what is there; where nothing lies it stays.
  void draw(const PixelArea& area, const RasterMapping& mapping, const BandColors& colors,
            const BandHighlight& highlight) const;

 private:
  GLint place(const char* name) const { return glGetUniformLocation(program_.id(), name); }

  GlProgram program_;
  GlVertexArray vertex_array_;  // empty: the shader makes its triangle
  GlTexture cells_;
  GlTexture palette_;
  GlTexture paint_;
  bool painted_ = false;
  bool found_ = false;
  int columns_ = 0;
  int rows_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace kino
