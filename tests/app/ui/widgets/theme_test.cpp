// Covers: theme
#include "app/ui/widgets/theme.hpp"

#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

using namespace kino;

namespace {

using Vec3 = std::array<double, 3>;

Vec3 linear(std::uint32_t color) {
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = ((color >> (8 * i)) & 255U) / 255.0;
    out[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return out;
}

double luminance(std::uint32_t color) {
  const Vec3 rgb = linear(color);
  return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

/// WCAG 2 contrast ratio.
double contrast(std::uint32_t a, std::uint32_t b) {
  const double first = luminance(a) + 0.05;
  const double second = luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

Vec3 times(const std::array<Vec3, 3>& matrix, const Vec3& v) {
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
  return out;
}

Vec3 oklab(const Vec3& rgb) {
  Vec3 lms = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                     {0.2119034982, 0.6806995451, 0.1073969566},
                     {0.0883024619, 0.2817188376, 0.6299787005}}},
                   rgb);
  for (double& value : lms) value = std::cbrt(std::max(0.0, value));
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

double distance(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Normal vision, full deuteranopia and full protanopia (Machado, Oliveira, Fernandes 2009).
constexpr std::array<std::array<Vec3, 3>, 3> kVision{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
}};

Trace trace_with_names() {
  Trace trace;
  for (int i = 0; i < 3000; ++i) {
    trace.names.intern("kernel_" + std::to_string(i));
    trace.name_kind.push_back(static_cast<SliceKind>(i % kSliceKindCount));
  }
  return trace;
}

}  // namespace

TEST_CASE("text is legible on every surface and on every slice, in both themes") {
  const Trace trace = trace_with_names();
  for (const bool dark : {true, false}) {
    CAPTURE(dark);
    const Theme theme = Theme::make(dark);
    for (const std::uint32_t surface :
         {theme.window, theme.track_area, theme.track_stripe, theme.group_header, theme.panel}) {
      CHECK(contrast(theme.text, surface) >= 7);
      CHECK(contrast(theme.text_dim, surface) >= 4.5);
      CHECK(contrast(theme.error, surface) >= 4.5);
      CHECK(contrast(theme.warning, surface) >= 4.5);
      CHECK(contrast(theme.accent, surface) >= 4.5);
    }
    for (const std::uint32_t color : name_colors(trace, theme))
      CHECK(contrast(text_on(color, theme), color) >= 4.5);
    CHECK(contrast(theme.idle, theme.track_area) >= 4.5);
    CHECK(contrast(text_on(theme.accent, theme), theme.accent) >= 4.5);
  }
}

TEST_CASE("slices are distinguishable from the surface behind them") {
  const Trace trace = trace_with_names();
  for (const bool dark : {true, false}) {
    const Theme theme = Theme::make(dark);
    for (const std::uint32_t color : name_colors(trace, theme))
      CHECK(contrast(color, theme.track_area) >= 1.3);
  }
}

TEST_CASE("kinds that share a screen are distinguishable with any color vision") {
  using enum SliceKind;
  constexpr std::array kShared{compute, communication, copy, cpu_op, runtime, python, annotation};
  for (const bool dark : {true, false}) {
    const Theme theme = Theme::make(dark);
    for (const auto& vision : kVision) {
      for (std::size_t i = 0; i < kShared.size(); ++i) {
        for (std::size_t k = i + 1; k < kShared.size(); ++k) {
          const Vec3 first = oklab(times(vision, linear(kind_color(kShared[i], theme))));
          const Vec3 second = oklab(times(vision, linear(kind_color(kShared[k], theme))));
          CAPTURE(text_of(kShared[i]));
          CAPTURE(text_of(kShared[k]));
          CHECK(distance(first, second) >= 0.05);
        }
      }
    }
  }
}

TEST_CASE("annotations stand out less than the other kinds, on the CPU as on the GPU") {
  for (const bool dark : {true, false}) {
    const Theme theme = Theme::make(dark);
    const auto strength = [&](SliceKind kind) { return contrast(kind_color(kind, theme), theme.track_area); };
    for (const SliceKind kind : {SliceKind::compute, SliceKind::communication, SliceKind::cpu_op,
                                 SliceKind::runtime, SliceKind::python}) {
      CHECK(strength(SliceKind::annotation) < strength(kind));
    }
    CHECK(kind_color(SliceKind::annotation, theme) == kind_color(SliceKind::gpu_annotation, theme));
  }
}

TEST_CASE("equal names have equal colors, and different names of a kind differ") {
  const Trace trace = trace_with_names();
  const Theme theme = Theme::make(true);
  const auto colors = name_colors(trace, theme);
  CHECK(colors == name_colors(trace, theme));
  std::size_t different = 0;
  for (std::size_t i = 0; i + kSliceKindCount < colors.size(); ++i) {
    if (colors[i] != colors[i + kSliceKindCount]) ++different;
  }
  CHECK(different > colors.size() * 9 / 10);
}

TEST_CASE("the colors of bookmarks are distinguishable with any color vision, and their numbers legible") {
  constexpr std::uint8_t kColors = 6;
  for (const bool dark : {true, false}) {
    CAPTURE(dark);
    const Theme theme = Theme::make(dark);
    for (std::uint8_t i = 0; i < kColors; ++i) {
      CAPTURE(i);
      CHECK(contrast(theme.text_on_slice, bookmark_color(i, theme)) >= 4.5);
      CHECK(contrast(theme.track_area, bookmark_color(i, theme)) >= 1.9);
      for (std::uint8_t k = i + 1; k < kColors; ++k) {
        CAPTURE(k);
        for (const auto& vision : kVision) {
          const Vec3 first = oklab(times(vision, linear(bookmark_color(i, theme))));
          const Vec3 second = oklab(times(vision, linear(bookmark_color(k, theme))));
          CHECK(distance(first, second) >= 0.05);
        }
      }
    }
  }
}
