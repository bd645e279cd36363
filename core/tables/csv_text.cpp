#include "core/tables/csv_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string out = "\"";
  const bool runs = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != text.npos;
  if (runs && !is_number(text)) out += '\'';
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("\"\n\r\t"), text.size());
    out += escaped(text.substr(0, plain));
    if (plain == text.size()) break;
    if (text[plain] == '"') out += '"';
    out += text[plain];
    text.remove_prefix(plain + 1);
  }
  return out + '"';
}

std::string exact_digits(double number) {
  if (!std::isfinite(number)) return {};
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), error == std::errc() ? end : text.data()};
}

}  // namespace kino
