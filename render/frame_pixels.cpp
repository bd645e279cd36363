#include "render/frame_pixels.hpp"

#include <algorithm>

#include <epoxy/gl.h>

namespace kino {

std::vector<std::uint8_t> read_pixels(int left, int bottom, int width, int height) {
  const std::size_t row_bytes = static_cast<std::size_t>(width) * 4;
  std::vector<std::uint8_t> upside_down(row_bytes * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(left, bottom, width, height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  std::vector<std::uint8_t> pixels(upside_down.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    const std::size_t from = (static_cast<std::size_t>(height) - 1 - y) * row_bytes;
    std::copy_n(upside_down.begin() + static_cast<std::ptrdiff_t>(from), row_bytes,
                pixels.begin() + static_cast<std::ptrdiff_t>(y * row_bytes));
  }
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  return pixels;
}

}  // namespace kino
