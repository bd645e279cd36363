#include "app/ui/text/columns_of_text.hpp"

#include <algorithm>
#include <cstdio>

#include "core/base/ascii.hpp"

namespace kino {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string padded_left(std::string text, std::size_t columns) {
  return text.insert(0, columns - std::min(columns, columns_of(text)), ' ');
}

std::string padded_right(std::string text, std::size_t columns) {
  return text.append(columns - std::min(columns, columns_of(text)), ' ');
}

std::string fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

}  // namespace kino
