#include "render/memory_renderer.hpp"

#include <array>
#include <utility>

#include "render/shader_sources.hpp"

namespace kino {
namespace {

// Texture units of the program, see shader_source().
constexpr std::size_t kCellsUnit = 0;
constexpr std::size_t kPaletteUnit = 1;
constexpr std::size_t kPaintUnit = 2;

}  // namespace

MemoryRenderer::MemoryRenderer() : gpu_(current_gpu()) { gpu_.prepare(ShaderProgram::memory); }

void MemoryRenderer::set_palette(std::span<const std::uint32_t, kColors> colors) {
  ++version_;
  gpu_.set_texture(palette_.id(), TexelFormat::rgba8, kColors, 1, std::as_bytes(colors));
}

void MemoryRenderer::set_raster(const MemoryRaster& raster) {
  ++version_;
  columns_ = static_cast<int>(raster.columns());
  rows_ = static_cast<int>(raster.rows);
  if (raster.cells.empty()) return;
  gpu_.set_texture(cells_.id(), TexelFormat::rg32ui, rows_, columns_, std::as_bytes(std::span(raster.cells)));
}

void MemoryRenderer::set_paint(std::span<const std::uint8_t> paint, bool of_search) {
  ++version_;
  constexpr std::size_t kWidth = kNumberedWidth;
  const auto most = static_cast<std::size_t>(gpu_.largest_texture());
  const std::size_t rows = (paint.size() + kWidth - 1) / kWidth;
  painted_ = !paint.empty() && rows <= most && kWidth <= most;
  found_ = painted_ && of_search;
  if (!painted_) return;
  gpu_.set_texture(paint_.id(), TexelFormat::r8ui, kNumberedWidth, static_cast<int>(rows),
                   std::as_bytes(paint));
}

void MemoryRenderer::draw(const PixelArea& area, const RasterMapping& mapping, const BandColors& colors,
                          const BandHighlight& highlight) const {
  if (columns_ == 0 || rows_ == 0 || area.width <= 0 || area.height <= 0) return;
  const int bottom = area.framebuffer_height - area.y - area.height;
  gpu_.begin_drawing({area.x, bottom, area.width, area.height});
  gpu_.use(ShaderProgram::memory);
  gpu_.bind_texture(kPaintUnit, paint_.id());
  gpu_.bind_texture(kPaletteUnit, palette_.id());
  gpu_.bind_texture(kCellsUnit, cells_.id());
  gpu_.set(Uniform::corner, std::array{static_cast<float>(area.x), static_cast<float>(bottom)});
  gpu_.set(Uniform::mapping,
           std::array{static_cast<float>(mapping.column_per_px), static_cast<float>(mapping.first_column),
                      static_cast<float>(mapping.row_per_px), static_cast<float>(mapping.first_row)});
  gpu_.set(Uniform::size, std::array<std::int32_t, 2>{columns_, rows_});
  gpu_.set(Uniform::painted, std::array<std::int32_t, 1>{painted_ ? 1 : 0});
  gpu_.set(Uniform::found, std::array<std::int32_t, 1>{found_ ? 1 : 0});
  for (const auto& [uniform, color] : {std::pair(Uniform::background, colors.background),
                                       {Uniform::older, colors.older},
                                       {Uniform::free, colors.free},
                                       {Uniform::highlight, colors.highlight}})
    gpu_.set(uniform, color_channels(color));
  gpu_.set(Uniform::chosen,
           std::array<std::uint32_t, 3>{highlight.group, static_cast<std::uint32_t>(highlight.selected) + 1,
                                        static_cast<std::uint32_t>(highlight.hovered) + 1});
  gpu_.draw_viewport();
}

}  // namespace kino
