// Colours and measures of the interface, in a dark and a light version.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/trace.hpp"

namespace kino {

/// All colours are packed 0xAABBGGRR as ImGui does. Contrast of text on its surface is at least 4.5:1.
struct Theme {
  bool dark = true;
  std::uint32_t window = 0;        ///< behind panels
  std::uint32_t track_area = 0;    ///< behind slices
  std::uint32_t track_stripe = 0;  ///< every other track
  std::uint32_t group_header = 0;
  std::uint32_t panel = 0;
  std::uint32_t border = 0;
  std::uint32_t grid = 0;  ///< vertical ruler lines
  std::uint32_t text = 0;
  std::uint32_t text_dim = 0;
  std::uint32_t text_on_slice = 0;
  std::uint32_t accent = 0;
  std::uint32_t selection = 0;
  std::uint32_t warning = 0;
  std::uint32_t error = 0;
  std::uint32_t counter = 0;
  std::uint32_t instant = 0;

  static Theme make(bool dark);
};

inline std::uint32_t with_alpha(std::uint32_t color, std::uint32_t alpha) {
  return (color & 0xffffffU) | alpha << 24;
}

/// `share` of the way from one opaque colour to another.
std::uint32_t mixed(std::uint32_t a, std::uint32_t b, double share);

/// The colour of one kind for legends and titles.
std::uint32_t kind_color(SliceKind kind, const Theme& theme);
/// The colours of bookmarks, by index from 0; dark text is legible on each. They differ in hue as the colours
/// of Okabe and Ito do ("Color Universal Design", 2008), which every kind of colour vision tells apart.
std::uint32_t bookmark_color(std::uint8_t index, const Theme& theme);
/// The colour of every name: a hue per kind, varied by a hash of the name. Safe for colour-blind people:
/// kinds differ in lightness as well as hue. Indexed by NameId.
std::vector<std::uint32_t> name_colors(const Trace& trace, const Theme& theme);
/// Applies the theme to the current ImGui context at `scale` (1 = 96 dpi).
void apply_theme(const Theme& theme, float scale);

}  // namespace kino
