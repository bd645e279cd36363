// Encodes pixels as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// Encodes pixels of 4 bytes each, from the top row down, as PNG. May be called from any thread. Takes about
/// 50 ms for two million pixels.
Result<std::string> png_of(const std::vector<std::uint8_t>& pixels, int width, int height);

}  // namespace kino
