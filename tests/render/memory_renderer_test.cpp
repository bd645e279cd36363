// Covers: memory_renderer
// Colors in a snapshot's plot, read back as pixels.
#include "render/memory_renderer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <epoxy/gl.h>

#include "tests/fixtures/offscreen_gl.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kBlack = 0xff000000U;
constexpr std::array<std::uint32_t, 3> kBands = {0xff2040c0U, 0xff20c040U, 0xffc04020U};
constexpr std::uint8_t kFades = 0x80;
constexpr int kBandPx = 16;
constexpr int kSide = kBandPx * static_cast<int>(kBands.size());

/// A stack of three allocations of groups 0, 1 and 2, kBandPx each, and the middle pixel of each.
std::array<std::uint32_t, 3> drawn_bands(const std::vector<std::uint8_t>& paint, bool of_search,
                                         const BandHighlight& highlight) {
  REQUIRE_MESSAGE(offscreen_gl_failure().empty(), offscreen_gl_failure());
  MemoryRenderer renderer;
  std::array<std::uint32_t, MemoryRenderer::kColors> palette{};
  std::copy(kBands.begin(), kBands.end(), palette.begin());
  renderer.set_palette(palette);
  MemoryRaster raster;
  raster.moments = {0};
  raster.rows = kBands.size();
  for (std::uint32_t i = 0; i < kBands.size(); ++i) raster.cells.push_back({i + 1, i});
  renderer.set_raster(raster);
  renderer.set_paint(paint, of_search);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const RasterMapping mapping{1.0 / kSide, 0, 1.0 / kBandPx, 0};
  renderer.draw({0, kOffscreenHeight - kSide, kSide, kSide, kOffscreenHeight}, mapping,
                {kBlack, 0xff808080U, 0xffffffffU, 0xff404040U}, highlight);
  std::array<std::uint32_t, 3> seen{};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto y = static_cast<GLint>(i) * kBandPx + kBandPx / 2;
    glReadPixels(kSide / 2, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &seen[i]);
  }
  REQUIRE(glGetError() == GL_NO_ERROR);
  return seen;
}

int brightness(std::uint32_t color) {
  return static_cast<int>((color & 255U) + (color >> 8 & 255U) + (color >> 16 & 255U));
}

TEST_CASE("without a search, other groups than the selected one fade") {
  BandHighlight selected;
  selected.group = 0;
  const auto seen = drawn_bands({}, false, selected);
  CHECK(seen[0] == kBands[0]);
  CHECK(brightness(seen[1]) < brightness(kBands[1]) / 2);
  const auto painted = drawn_bands({0, 1, 2}, false, selected);
  CHECK(painted[0] == kBands[0]);
  CHECK(brightness(painted[1]) < brightness(kBands[1]) / 2);
}

TEST_CASE("hits keep their color while another group is selected, and other allocations fade") {
  const std::vector<std::uint8_t> found = {0, 1, 2 | kFades};
  const auto before = drawn_bands(found, true, {});
  CHECK(before[0] == kBands[0]);
  CHECK(before[1] == kBands[1]);
  CHECK(brightness(before[2]) < brightness(kBands[2]) / 2);
  BandHighlight selected;
  selected.group = 0;
  selected.selected = AllocationId{0};
  const auto seen = drawn_bands(found, true, selected);
  CHECK(brightness(seen[0]) > brightness(kBands[0]));  // the selection is still marked
  CHECK(seen[1] == kBands[1]);
  CHECK(brightness(seen[2]) < brightness(kBands[2]) / 2);
}

TEST_CASE("marks the selection even if it is not a hit") {
  BandHighlight selected;
  selected.group = 2;
  selected.selected = AllocationId{2};
  const std::vector<std::uint8_t> found = {0, 1 | kFades, 2 | kFades};
  const auto seen = drawn_bands(found, true, selected);
  CHECK(seen[0] == kBands[0]);
  CHECK(brightness(seen[2]) > brightness(drawn_bands(found, true, {})[2]));
}

}  // namespace
}  // namespace kino
