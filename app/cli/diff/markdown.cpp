#include "app/cli/diff/markdown.hpp"

namespace kino {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (std::string_view("\\`*_[]|#").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string markdown_row(std::initializer_list<std::string_view> cells) {
  std::string row = "|";
  for (const std::string_view cell : cells) {
    row += ' ';
    row += cell;
    row += " |";
  }
  return row + "\n";
}

}  // namespace kino
