#include "render/timeline_programs.hpp"

#include <string>
#include <string_view>

namespace kino {
namespace {

// Left edges are rounded down, right edges to the nearest pixel, and later slices draw over earlier ones. A
// slice narrower than a pixel fills its pixel, and a wider one keeps at least its first pixel. A pixel is
// dark only if it is idle for half of its time: a gap of 1/100 px never shows as a dark column.
constexpr std::string_view kVertexCommon = R"(#version 330 core
uniform usamplerBuffer instances;
uniform vec4 area;     // x, y of the top edge, width, height
uniform vec4 tile[3];  // TileUniforms

float px_from_ns(float ns) { return ns >= tile[0].z ? tile[0].y : tile[0].x + ns * tile[0].w; }

uvec4 instance() { return texelFetch(instances, int(tile[2].x) + gl_InstanceID); }

bool outside(float x0, float x1) { return x0 >= tile[1].y || (x1 <= tile[1].x && x0 < tile[1].x); }

// The whole pixels of [x0, x1): at least one.
vec2 snapped(float x0, float x1) {
  float left = floor(max(x0, tile[1].x));
  return vec2(left, max(floor(min(x1, tile[1].y) + 0.5), left + 1.0));
}

void place(vec2 x, vec2 y) {
  x = clamp(x, -8.0, area.z + 8.0);
  vec2 px = vec2((gl_VertexID & 1) == 0 ? x.x : x.y, gl_VertexID < 2 ? y.x : y.y);
  gl_Position = vec4(px.x / area.z * 2.0 - 1.0, 1.0 - px.y / area.w * 2.0, 0.0, 1.0);
}

void place_nowhere() { gl_Position = vec4(-2.0, -2.0, 0.0, 1.0); }
)";

constexpr std::string_view kSlicesVertex = R"(
uniform sampler2D palette;
uniform vec4 background;
uniform float faded;
flat out vec3 fill;
flat out float separator_px;

void main() {
  uvec4 it = instance();
  float x0 = px_from_ns(uintBitsToFloat(it.x));
  float x1 = px_from_ns(uintBitsToFloat(it.y));
  fill = vec3(0.0);
  separator_px = 1e9;
  if (outside(x0, x1)) {
    place_nowhere();
    return;
  }
  vec2 x = snapped(x0, x1);
  uint flags = it.w >> 24;
  float coverage = float((it.w >> 16) & 255u) / 255.0;
  // A slice below a pixel wide covers only its share of the pixel; a floor keeps a single event visible.
  float shown = 0.42 + 0.58 * coverage * clamp(x1 - x0, 0.0, 1.0);
  vec4 color = texelFetch(palette, ivec2(int(it.z & 4095u), int(it.z >> 12)), 0);
  if ((flags & 8u) != 0u) {
    shown *= faded;
  } else if (faded < 1.0) {
    shown = max(shown, 0.8);  // a single hit among thousands must be visible
  }
  fill = mix(background.rgb, color.rgb, color.a * shown);
  bool ends_here = (flags & 5u) == 1u && x1 <= tile[1].y;
  float wide_px = (flags & 2u) != 0u ? 2.0 : 4.0;
  // The last whole pixel: the next slice may draw over a partial one.
  if (ends_here && x.y - x.x >= wide_px) separator_px = floor(x1 + 0.02) - 1.0;
  place(x, tile[1].zw);
}
)";

constexpr std::string_view kSlicesFragment = R"(#version 330 core
uniform vec4 area;
flat in vec3 fill;
flat in float separator_px;
out vec4 pixel;

void main() {
  pixel = vec4(fill * (gl_FragCoord.x - area.x > separator_px ? 0.62 : 1.0), 1.0);
}
)";

constexpr std::string_view kInstantsVertex = R"(
void main() {
  uvec4 it = instance();
  float x0 = px_from_ns(uintBitsToFloat(it.x));
  float x1 = px_from_ns(uintBitsToFloat(it.y));
  if (outside(x0, x1)) {
    place_nowhere();
    return;
  }
  float before = floor((tile[2].w - 1.0) / 2.0);
  place(vec2(floor(x0) - before, floor(x1) + tile[2].w - before), tile[1].zw);
}
)";

constexpr std::string_view kInstantsFragment = R"(#version 330 core
uniform vec4 background;
uniform vec4 color;
out vec4 pixel;

void main() { pixel = vec4(mix(background.rgb, color.rgb, color.a), 1.0); }
)";

// The envelope from minimum to maximum is solid and at least one pixel high; the area down to zero is faint.
// Nothing is painted above the maximum, so a later, lower neighbor never erases a peak in the same pixel
// column.
constexpr std::string_view kCounterVertex = R"(
flat out vec2 envelope_px;  // top, bottom

float y_from_value(float value) { return tile[1].w - (value - tile[2].y) * tile[2].z; }

void main() {
  uvec4 it = instance();
  float x0 = px_from_ns(uintBitsToFloat(it.x));
  float x1 = px_from_ns(uintBitsToFloat(it.y));
  envelope_px = vec2(0.0);
  if (outside(x0, x1)) {
    place_nowhere();
    return;
  }
  float top = clamp(floor(y_from_value(uintBitsToFloat(it.w))), tile[1].z, tile[1].w - 1.0);
  float bottom = clamp(floor(y_from_value(uintBitsToFloat(it.z))), top + 1.0, tile[1].w);
  envelope_px = vec2(top, bottom);
  float zero = clamp(floor(y_from_value(0.0)), tile[1].z, tile[1].w);
  place(snapped(x0, x1), vec2(min(top, zero), max(bottom, zero)));
}
)";

constexpr std::string_view kCounterFragment = R"(#version 330 core
uniform vec4 area;
uniform vec4 background;
uniform vec4 color;
flat in vec2 envelope_px;
out vec4 pixel;

void main() {
  float y_px = area.y - gl_FragCoord.y;
  float shown = y_px > envelope_px.x && y_px < envelope_px.y ? 1.0 : 0.35;
  pixel = vec4(mix(background.rgb, color.rgb, color.a * shown), 1.0);
}
)";

struct ProgramSource {
  std::string_view vertex;  ///< after kVertexCommon
  std::string_view fragment;
};

/// By LaneDraw::Kind.
constexpr std::array kSources{ProgramSource{kSlicesVertex, kSlicesFragment},
                              ProgramSource{kInstantsVertex, kInstantsFragment},
                              ProgramSource{kCounterVertex, kCounterFragment}};

GlProgram make_program(const ProgramSource& source) {
  return make_gl_program(std::string(kVertexCommon).append(source.vertex), source.fragment);
}

}  // namespace

TimelineProgram::TimelineProgram(LaneDraw::Kind kind)
    : program_(make_program(kSources[static_cast<std::size_t>(kind)])),
      area_(glGetUniformLocation(program_.id(), "area")),
      background_(glGetUniformLocation(program_.id(), "background")),
      color_(glGetUniformLocation(program_.id(), "color")),
      tile_(glGetUniformLocation(program_.id(), "tile")),
      faded_(glGetUniformLocation(program_.id(), "faded")) {
  glUseProgram(program_.id());
  glUniform1i(glGetUniformLocation(program_.id(), "palette"), kPaletteUnit);
  glUniform1i(glGetUniformLocation(program_.id(), "instances"), kInstancesUnit);
}

void TimelineProgram::use(const AreaUniform& area, const ColorUniform& background,
                          const ColorUniform& color) const {
  glUseProgram(program_.id());
  glUniform4fv(area_, 1, area.data());
  glUniform4fv(background_, 1, background.data());
  glUniform4fv(color_, 1, color.data());
}

void TimelineProgram::set_unmatched_share(float share) const { glUniform1f(faded_, share); }

void TimelineProgram::draw(const TileUniforms& tile, GLsizei count) const {
  glUniform4fv(tile_, 3, &tile.left_px);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
}

std::shared_ptr<const TimelinePrograms> timeline_programs() {
  static std::weak_ptr<const TimelinePrograms> made;
  std::shared_ptr<const TimelinePrograms> programs = made.lock();
  if (!programs) {
    programs = std::make_shared<const TimelinePrograms>(
        TimelinePrograms{TimelineProgram(LaneDraw::Kind::slices), TimelineProgram(LaneDraw::Kind::instants),
                         TimelineProgram(LaneDraw::Kind::counter)});
    made = programs;
  }
  return programs;
}

}  // namespace kino
