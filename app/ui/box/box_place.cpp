#include "app/ui/box/box_place.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "core/base/ascii.hpp"
#include "core/trace/search/name_search.hpp"

namespace kino {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<BoxPlace> box_place(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ') plain += lower(c);
  }
  if (plain.starts_with('#')) {
    if (const auto number = whole_number(std::string_view(plain).substr(1)))
      return BoxPlace{BoxPlace::Kind::event, *number};
    return std::nullopt;
  }
  for (const std::string_view step : {"profilerstep#", "step#", "step", "ステップ", "步骤", "步"}) {
    if (!plain.starts_with(step)) continue;
    if (const auto number = whole_number(std::string_view(plain).substr(step.size())))
      return BoxPlace{BoxPlace::Kind::step, *number};
    return std::nullopt;
  }
  // A number without a unit is text to search for.
  if (plain.empty() || !is_digit(plain.front()) || is_digit(plain.back()) || plain.back() == '.')
    return std::nullopt;
  const std::optional<double> ns = duration_ns_of(plain);
  if (!ns) return std::nullopt;
  return BoxPlace{BoxPlace::Kind::time, std::llround(*ns)};
}

}  // namespace kino
