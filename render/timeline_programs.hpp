// The three shader programs of the timeline: rectangles of slices, marks of instants, areas of counters.
#pragma once

#include <array>
#include <memory>

#include "render/gl_objects.hpp"
#include "render/lane_draw.hpp"

namespace kino {

/// Shader parameters of one tile: three vec4 in this order.
struct TileUniforms {
  float left_px = 0;  ///< left edge of the tile, not rounded; equal to its neighbor's right edge
  float right_px = 0;
  float length_ns = 0;
  float px_per_ns = 0;

  float clip_left_px = 0;  ///< clip range, for tiles that replace missing ones: pixels outside are not drawn
  float clip_right_px = 0;
  float top_px = 0;  ///< top of the lane, in whole pixels
  float bottom_px = 0;

  float first_texel = 0;  ///< below 65536, so it is exact
  float baseline = 0;     ///< for counters: the value at bottom_px
  float px_per_unit = 0;  ///< counters
  float mark_px = 0;      ///< instants: width of a mark
};
static_assert(sizeof(TileUniforms) == 12 * sizeof(float));

/// The area in framebuffer pixels: x, OpenGL's y of the top edge, width, height.
using AreaUniform = std::array<float, 4>;
using ColorUniform = std::array<float, 4>;

class TimelineProgram {
 public:
  static constexpr GLint kPaletteUnit = 0;
  static constexpr GLint kInstancesUnit = 1;
  static constexpr int kPaletteWidth = 4096;

  /// Throws std::runtime_error if the driver rejects it.
  explicit TimelineProgram(LaneDraw::Kind kind);

  /// Makes this the current program and sets its common parameters.
  void use(const AreaUniform& area, const ColorUniform& background, const ColorUniform& color) const;
  /// For slices, after use(): share of its color that a slice keeps if it is not a hit, 0 to 1.
  void set_unmatched_share(float share) const;
  /// Draws `count` instances from the buffer texture bound to kInstancesUnit.
  void draw(const TileUniforms& tile, GLsizei count) const;

 private:
  GlProgram program_;
  GLint area_ = -1;
  GLint background_ = -1;
  GLint color_ = -1;
  GLint tile_ = -1;
  GLint faded_ = -1;
};

/// By LaneDraw::Kind.
using TimelinePrograms = std::array<TimelineProgram, 3>;

/// Returns the programs of the current context, and creates them if there are none. Creation takes some ms,
/// with some drivers far longer. There must be only one context, and only its thread may call this. Throws
/// std::runtime_error if the driver rejects the programs.
std::shared_ptr<const TimelinePrograms> timeline_programs();

}  // namespace kino
