// The sources of the shader programs: rectangles of slices, marks of instants, areas of counters, and rasters
// of memory.
#pragma once

#include <array>
#include <string>

#include "render/gpu.hpp"

namespace kino {

/// Shader parameters of one tile (Uniform::tile): three vec4 in this order.
struct TileUniforms {
  float left_px = 0;  ///< left edge of the tile, not rounded; equal to its neighbor's right edge
  float right_px = 0;
  float length_ns = 0;
  float px_per_ns = 0;

  float clip_left_px = 0;  ///< clip range of replacement tiles and of counters: pixels outside are not drawn
  float clip_right_px = 0;
  float top_px = 0;  ///< top of the lane, in whole pixels
  float bottom_px = 0;

  float first_texel = 0;  ///< below Gpu::kPageTexels, so it is exact
  float baseline = 0;     ///< for counters: the value at bottom_px
  float px_per_unit = 0;  ///< for counters: pixels per unit of the value
  float mark_px = 0;      ///< for instants: width of a mark
};
static_assert(sizeof(TileUniforms) == 12 * sizeof(float));

/// Width of textures whose texels are numbered: number n is in row n / kNumberedWidth.
inline constexpr int kNumberedWidth = 4096;

/// Sources in GLSL 3.30, or GLSL ES 3.00 from es_shader_source().
struct ShaderSource {
  std::string vertex;
  std::string fragment;
  /// Names of the samplers by texture unit; null if a unit is not used. Unit 1 of programs that draw
  /// instances is the page, a buffer texture.
  std::array<const char*, 3> samplers{};
};

ShaderSource shader_source(ShaderProgram program);

/// Returns the name of the parameter in the sources.
const char* uniform_name(Uniform uniform);

}  // namespace kino
