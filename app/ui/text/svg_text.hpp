// Pieces of SVG markup that drawings share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

/// "#rrggbb" of a packed 0xAABBGGRR.
std::string svg_color(std::uint32_t packed);
/// Without what markup would read, and without control characters.
std::string svg_escaped(std::string_view text);
/// A line.
std::string svg_line(double x0, double y0, double x1, double y1, std::uint32_t color);
/// One line of text. `anchor`: start, middle or end.
std::string svg_words(double x, double y, const char* anchor, std::uint32_t color, std::string_view text);
/// About the width of a text of this size: the fonts of who looks at a drawing are not known.
double svg_width(std::string_view text, double font_px);
/// As much of a text as about fits, with an ellipsis; empty when not even three letters do.
std::string svg_fitted(std::string_view text, double room_px, double font_px);

}  // namespace kino
