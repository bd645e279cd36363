// Colors and sizes of the interface, in a dark and a light version.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// All colors are packed as 0xAABBGGRR, as in ImGui. The contrast between text and background is at least
/// 4.5:1.
struct Theme {
  bool dark = true;
  std::uint32_t window = 0;        ///< behind panels
  std::uint32_t track_area = 0;    ///< behind slices
  std::uint32_t track_stripe = 0;  ///< every second track
  std::uint32_t group_header = 0;
  std::uint32_t panel = 0;
  std::uint32_t border = 0;
  std::uint32_t grid = 0;  ///< vertical lines of the ruler
  std::uint32_t text = 0;
  std::uint32_t text_dim = 0;
  std::uint32_t text_on_slice = 0;   ///< dark; see text_on()
  std::uint32_t light_on_slice = 0;  ///< text on dark slices, such as annotations in the dark theme
  std::uint32_t accent = 0;
  std::uint32_t selection = 0;
  std::uint32_t warning = 0;  ///< yellow
  std::uint32_t error = 0;
  std::uint32_t idle = 0;  ///< rose: idle time of GPUs and its causes
  std::uint32_t counter = 0;
  std::uint32_t instant = 0;

  static Theme make(bool dark);
};

inline std::uint32_t with_alpha(std::uint32_t color, std::uint32_t alpha) {
  return (color & 0xffffffU) | alpha << 24;
}

/// Interpolates from one opaque color to another by `share`.
std::uint32_t mixed(std::uint32_t a, std::uint32_t b, double share);

/// Returns the color of text on a slice, or on another filled area.
std::uint32_t text_on(std::uint32_t slice, const Theme& theme);
/// Shades of rose for the causes of idle time.
enum class IdleShade : std::uint8_t {
  light,   ///< the data loader
  pale,    ///< calls of the host: waits, memory and garbage collection
  medium,  ///< late launches
  dark,    ///< launches that are under way, and the time before the first work
};
std::uint32_t idle_color(IdleShade shade, const Theme& theme);

/// Returns the color of a kind for legends and titles.
std::uint32_t kind_color(SliceKind kind, const Theme& theme);
/// Colors of bookmarks by index from 0; dark text is legible on each. Their hues follow Okabe and Ito ("Color
/// Universal Design", 2008), so that they are distinguishable with any color vision.
std::uint32_t bookmark_color(std::uint8_t index, const Theme& theme);
/// Returns the color of every name: the hue of its kind, varied by a hash of the name. Most kinds differ in
/// lightness as well as hue, for color-blind users. Indexed by NameId.
std::vector<std::uint32_t> name_colors(const Trace& trace, const Theme& theme);
/// Applies the theme to the current ImGui context at `scale` (1 = 96 dpi).
void apply_theme(const Theme& theme, float scale);

}  // namespace kino
