// Colors by lightness, chroma and hue, in which equal steps look equal.
#pragma once

#include <cstdint>

namespace kino {

/// A color in OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020): equal steps of
/// lightness look equal for any hue.
struct Lch {
  double lightness;
  double chroma;
  double hue_degrees;
};

/// Converts to 0xAABBGGRR. Colors outside of the sRGB gamut lose chroma, not hue or lightness.
std::uint32_t packed_color(Lch color, std::uint32_t alpha = 255);

}  // namespace kino
