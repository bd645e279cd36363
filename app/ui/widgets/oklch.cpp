#include "app/ui/widgets/oklch.hpp"

#include <algorithm>
#include <cmath>

namespace kino {
namespace {

double srgb_from_linear(double value) {
  value = std::clamp(value, 0.0, 1.0);
  return value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

struct Rgb {
  double red;
  double green;
  double blue;
  bool in_gamut() const {
    constexpr double kSlack = 1e-4;
    return std::min({red, green, blue}) >= -kSlack && std::max({red, green, blue}) <= 1 + kSlack;
  }
};

Rgb linear_from_lch(const Lch& color) {
  constexpr double kRadians = 3.14159265358979323846 / 180;
  const double a = color.chroma * std::cos(color.hue_degrees * kRadians);
  const double b = color.chroma * std::sin(color.hue_degrees * kRadians);
  const double l = std::pow(color.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(color.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(color.lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

}  // namespace

std::uint32_t packed_color(Lch color, std::uint32_t alpha) {
  Rgb rgb = linear_from_lch(color);
  while (!rgb.in_gamut() && color.chroma > 0.001) {  // reduce chroma rather than change the hue
    color.chroma *= 0.9;
    rgb = linear_from_lch(color);
  }
  const auto byte = [](double linear) {
    return static_cast<std::uint32_t>(std::lround(srgb_from_linear(linear) * 255));
  };
  return byte(rgb.red) | byte(rgb.green) << 8 | byte(rgb.blue) << 16 | alpha << 24;
}

}  // namespace kino
