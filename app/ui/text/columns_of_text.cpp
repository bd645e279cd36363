#include "app/ui/text/columns_of_text.hpp"

#include <algorithm>
#include <cstdio>

namespace kino {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded_left(std::string text, std::size_t columns) {
  const std::size_t have = columns_of(text);
  if (have < columns) text.insert(0, columns - have, ' ');
  return text;
}

std::string padded_right(std::string text, std::size_t columns) {
  const std::size_t have = columns_of(text);
  if (have < columns) text.append(columns - have, ' ');
  return text;
}

std::string fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

}  // namespace kino
