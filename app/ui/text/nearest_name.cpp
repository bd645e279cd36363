#include "app/ui/text/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace kino {
namespace {

/// Number of typing errors accepted in a name of this length.
constexpr std::size_t mistakes_in(std::size_t length) { return (length + 1) / 3; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> above;
  std::vector<std::size_t> second_above;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    second_above = std::move(above);
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], second_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 100;
  std::string_view nearest;
  std::size_t least = kLongest;
  for (const std::string_view name : names) {
    const std::size_t distance = word.size() > kLongest ? kLongest : edit_distance(word, name);
    if (distance > mistakes_in(name.size()) || distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

}  // namespace kino
