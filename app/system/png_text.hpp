// Pixels as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// `pixels` are 4 bytes each, rows from the top. Any thread; about 50 ms for two million.
Result<std::string> png_of(const std::vector<std::uint8_t>& pixels, int width, int height);

}  // namespace kino
