// Colours by lightness, chroma and hue, in which equal steps look equal.
#pragma once

#include <cstdint>

namespace kino {

/// A colour in OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020): equal steps of
/// lightness look equal, whatever the hue.
struct Lch {
  double lightness;
  double chroma;
  double hue_degrees;
};

/// As 0xAABBGGRR; what no screen can show loses chroma, not its hue or lightness.
std::uint32_t packed_color(Lch color, std::uint32_t alpha = 255);

}  // namespace kino
