#include "app/ui/text/svg_text.hpp"

#include <cstdio>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr double kLetterWidth = 0.56;  // mean width of a letter, relative to the font size (sans-serif)
constexpr double kWideWidth = 1.0;     // for Japanese and Chinese characters

bool is_wide(char first) { return static_cast<unsigned char>(first) >= 0xE3; }

}  // namespace

std::string svg_color(std::uint32_t packed) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", packed & 255U, packed >> 8U & 255U, packed >> 16U & 255U);
  return text;
}

std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

std::string svg_line(double x0, double y0, double x1, double y1, std::uint32_t color) {
  char text[160];
  std::snprintf(text, sizeof text, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" fill=\"none\"/>\n", x0, y0,
                x1, y1, svg_color(color).c_str());
  return text;
}

std::string svg_text_line(double x, double y, const char* anchor, std::uint32_t color,
                          std::string_view text) {
  char head[160];
  std::snprintf(head, sizeof head, R"(<text stroke="none" x="%.1f" y="%.1f" text-anchor="%s" fill="%s">)", x,
                y, anchor, svg_color(color).c_str());
  return head + svg_escaped(text) + "</text>\n";
}

double svg_width(std::string_view text, double font_px) {
  double width = 0;
  for (const char c : text) {
    if (!continues_character(c)) width += (is_wide(c) ? kWideWidth : kLetterWidth) * font_px;
  }
  return width;
}

std::string svg_fitted(std::string_view text, double room_px, double font_px) {
  if (svg_width(text, font_px) <= room_px) return std::string(text);
  double left = room_px - kLetterWidth * font_px;
  std::size_t used = 0;
  std::size_t characters = 0;
  while (used < text.size()) {
    left -= (is_wide(text[used]) ? kWideWidth : kLetterWidth) * font_px;
    if (left < 0) break;
    ++characters;
    ++used;
    while (used < text.size() && continues_character(text[used])) ++used;
  }
  return characters < 3 ? std::string() : std::string(text.substr(0, used)) + "\u2026";
}

}  // namespace kino
