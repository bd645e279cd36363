// Reads back what was drawn, for pictures.
#pragma once

#include <cstdint>
#include <vector>

namespace kino {

/// Of the bound framebuffer, 4 bytes each (red, green, blue, 255), rows from the top; `bottom` counts from
/// its lower edge. Waits for the GPU. Needs a current OpenGL context.
std::vector<std::uint8_t> read_pixels(int left, int bottom, int width, int height);

}  // namespace kino
