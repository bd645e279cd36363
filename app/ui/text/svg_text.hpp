// Pieces of SVG markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kino {

/// "#rrggbb" of a packed 0xAABBGGRR.
std::string svg_color(std::uint32_t packed);
/// Escapes < and &, and removes control characters.
std::string svg_escaped(std::string_view text);
std::string svg_line(double x0, double y0, double x1, double y1, std::uint32_t color);
/// Returns a text element of one line. `anchor`: start, middle or end.
std::string svg_text_line(double x, double y, const char* anchor, std::uint32_t color, std::string_view text);
/// Returns the width of a text at this font size. It is approximate, since the fonts of the viewer are
/// unknown.
double svg_width(std::string_view text, double font_px);
/// Shortens a text to about this width, with an ellipsis. Returns an empty text if fewer than three
/// characters fit.
std::string svg_fitted(std::string_view text, double room_px, double font_px);

}  // namespace kino
