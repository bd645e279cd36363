#include "render/shader_sources.hpp"

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
  // A slice that is narrower than a pixel covers only a part of the pixel. A minimum keeps a single event
  // visible.
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
  // The separator is in the last whole pixel, since the next slice may draw over a partial pixel.
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

constexpr std::string_view kMemoryVertex = R"(#version 330 core
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

// The raster's columns are stored as rows of the texture. A band of two pixels or more gets a darker upper
// edge; thinner bands would disappear behind their edges.
constexpr std::string_view kMemoryFragment = R"(#version 330 core
uniform usampler2D cells;
uniform sampler2D palette;
uniform usampler2D paints;      // of allocations, in rows of 4096
uniform bool painted;
uniform vec2 corner;        // lower left, framebuffer px
uniform vec4 mapping;       // column per px, first column, row per px, first row
uniform ivec2 size;         // columns, rows
uniform vec4 background;
uniform vec4 older;
uniform vec4 free;
uniform vec4 highlight;
uniform uvec3 chosen;       // group, selected + 1, hovered + 1
uniform bool found;         // whether allocations that are not faded in paints are hits of a search
out vec4 pixel;

uvec2 cell(vec2 px) {
  ivec2 at = ivec2(floor(px * mapping.xz + mapping.yw));
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return uvec2(0u);
  return texelFetch(cells, at.yx, 0).xy;
}

void main() {
  vec2 px = gl_FragCoord.xy - corner;
  uvec2 it = cell(px);
  if (it == uvec2(0u)) discard;
  if (it.x == 0u) {  // reserved, but free
    bool edge = cell(px + vec2(0.0, 1.0)) != it && cell(px - vec2(0.0, 1.0)) == it;
    pixel = edge ? vec4(mix(free.rgb, background.rgb, 0.5), 1.0) : free;
    return;
  }
  uint group = it.y & 0x3fffffffu;
  vec3 fill = texelFetch(palette, ivec2(int(group & 63u), 0), 0).rgb;
  uint paint = 0u;
  if (painted) {
    int number = int(it.x - 1u);
    paint = texelFetch(paints, ivec2(number & 4095, number >> 12), 0).x;
    fill = texelFetch(palette, ivec2(int(paint & 63u), 0), 0).rgb;
    if ((paint & 64u) != 0u) fill = older.rgb;
  }
  if ((it.y & 0x80000000u) != 0u) fill = mix(fill, older.rgb, 0.62);
  if ((paint & 128u) != 0u) fill = mix(fill, background.rgb, 0.78);
  bool among = group == chosen.x;
  bool hit = found && (paint & 128u) == 0u;
  if (chosen.x != 0x3fffffffu && !among && !hit) fill = mix(fill, background.rgb, 0.68);
  if (it.x == chosen.y) fill = mix(fill, highlight.rgb, 0.3);
  if (it.x == chosen.z) fill = mix(fill, highlight.rgb, 0.25);
  if ((it.y & 0x40000000u) != 0u && mod(px.x + px.y, 6.0) < 2.5) fill = mix(fill, background.rgb, 0.65);
  if ((paint & 128u) == 0u && cell(px + vec2(0.0, 1.0)).x != it.x && cell(px - vec2(0.0, 1.0)).x == it.x) fill *= 0.72;
  pixel = vec4(fill, 1.0);
}
)";

}  // namespace

ShaderSource shader_source(ShaderProgram program) {
  const auto of_instances = [](std::string_view vertex, std::string_view fragment, const char* palette) {
    return ShaderSource{
        std::string(kVertexCommon).append(vertex), std::string(fragment), {palette, "instances", nullptr}};
  };
  switch (program) {
    case ShaderProgram::slices:
      return of_instances(kSlicesVertex, kSlicesFragment, "palette");
    case ShaderProgram::instants:
      return of_instances(kInstantsVertex, kInstantsFragment, nullptr);
    case ShaderProgram::counter:
      return of_instances(kCounterVertex, kCounterFragment, nullptr);
    case ShaderProgram::memory:
      break;
  }
  return {std::string(kMemoryVertex), std::string(kMemoryFragment), {"cells", "palette", "paints"}};
}

const char* uniform_name(Uniform uniform) {
  constexpr std::array<const char*, kUniforms> kNames{"area",    "tile",  "background", "color",   "faded",
                                                      "painted", "found", "corner",     "mapping", "size",
                                                      "older",   "free",  "highlight",  "chosen"};
  return kNames[static_cast<std::size_t>(uniform)];
}

}  // namespace kino
