#include "render/memory_renderer.hpp"

#include <string_view>
#include <utility>

namespace kino {
namespace {

constexpr std::string_view kVertex = R"(#version 330 core
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

// The raster's columns are stored as rows of the texture. A band of two pixels or more gets a darker upper
// edge; thinner bands would disappear behind their edges.
constexpr std::string_view kFragment = R"(#version 330 core
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

void bind(GLenum unit, const GlTexture& texture) {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_2D, texture.id());
}

}  // namespace

MemoryRenderer::MemoryRenderer()
    : program_(make_gl_program(kVertex, kFragment)),
      vertex_array_(make_gl_vertex_array()),
      cells_(make_gl_texture()),
      palette_(make_gl_texture()),
      paint_(make_gl_texture()) {
  glUseProgram(program_.id());
  glUniform1i(place("cells"), 0);
  glUniform1i(place("palette"), 1);
  glUniform1i(place("paints"), 2);
  glUseProgram(0);
}

void MemoryRenderer::set_palette(std::span<const std::uint32_t, kColors> colors) {
  ++version_;
  bind_for_upload(palette_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kColors, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
  glBindTexture(GL_TEXTURE_2D, 0);
}

void MemoryRenderer::set_raster(const MemoryRaster& raster) {
  ++version_;
  columns_ = static_cast<int>(raster.columns());
  rows_ = static_cast<int>(raster.rows);
  if (raster.cells.empty()) return;
  bind_for_upload(cells_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32UI, rows_, columns_, 0, GL_RG_INTEGER, GL_UNSIGNED_INT,
               raster.cells.data());
  glBindTexture(GL_TEXTURE_2D, 0);
}

void MemoryRenderer::set_paint(std::span<const std::uint8_t> paint, bool of_search) {
  ++version_;
  constexpr std::size_t kWidth = 4096;
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  const std::size_t rows = (paint.size() + kWidth - 1) / kWidth;
  painted_ =
      !paint.empty() && rows <= static_cast<std::size_t>(most) && kWidth <= static_cast<std::size_t>(most);
  found_ = painted_ && of_search;
  if (!painted_) return;
  bind_for_upload(paint_, 2, 1);
  const auto whole = static_cast<GLsizei>(paint.size() / kWidth);
  const auto rest = static_cast<GLsizei>(paint.size() % kWidth);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8UI, kWidth, static_cast<GLsizei>(rows), 0, GL_RED_INTEGER,
               GL_UNSIGNED_BYTE, nullptr);
  if (whole > 0)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, whole, GL_RED_INTEGER, GL_UNSIGNED_BYTE, paint.data());
  if (rest > 0) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, whole, rest, 1, GL_RED_INTEGER, GL_UNSIGNED_BYTE,
                    paint.data() + static_cast<std::size_t>(whole) * kWidth);
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glBindTexture(GL_TEXTURE_2D, 0);
}

void MemoryRenderer::draw(const PixelArea& area, const RasterMapping& mapping, const BandColors& colors,
                          const BandHighlight& highlight) const {
  if (columns_ == 0 || rows_ == 0 || area.width <= 0 || area.height <= 0) return;
  const int bottom = area.framebuffer_height - area.y - area.height;
  glViewport(area.x, bottom, area.width, area.height);
  for (const GLenum off : {GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST}) glDisable(off);
  glEnable(GL_SCISSOR_TEST);
  glScissor(area.x, bottom, area.width, area.height);
  glUseProgram(program_.id());
  glBindVertexArray(vertex_array_.id());
  bind(2, paint_);
  bind(1, palette_);
  bind(0, cells_);
  glUniform2f(place("corner"), static_cast<float>(area.x), static_cast<float>(bottom));
  glUniform4f(place("mapping"), static_cast<float>(mapping.column_per_px),
              static_cast<float>(mapping.first_column), static_cast<float>(mapping.row_per_px),
              static_cast<float>(mapping.first_row));
  glUniform2i(place("size"), columns_, rows_);
  glUniform1i(place("painted"), painted_ ? 1 : 0);
  glUniform1i(place("found"), found_ ? 1 : 0);
  for (const auto& [name, color] : {std::pair("background", colors.background),
                                    {"older", colors.older},
                                    {"free", colors.free},
                                    {"highlight", colors.highlight}})
    glUniform4fv(place(name), 1, gl_color(color).data());
  glUniform3ui(place("chosen"), highlight.group, static_cast<GLuint>(highlight.selected) + 1,
               static_cast<GLuint>(highlight.hovered) + 1);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace kino
