// Reads rendered pixels back, for pictures.
#pragma once

#include <cstdint>
#include <vector>

namespace kino {

/// Returns pixels of the bound framebuffer with 4 bytes each (red, green, blue, 255), rows from top to
/// bottom. `bottom` is the distance from the framebuffer's lower edge. Waits for the GPU. Needs a current
/// OpenGL context.
std::vector<std::uint8_t> read_pixels(int left, int bottom, int width, int height);

}  // namespace kino
