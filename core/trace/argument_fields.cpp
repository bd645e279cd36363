#include "core/trace/argument_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

/// As ArgumentTerm has keys.
std::string key_of_name(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const char small = lower(c);
    if (is_digit(small) || (small >= 'a' && small <= 'z')) key += small;
  }
  return key;
}

/// How many letters have to be changed, added or left out (Levenshtein 1966).
std::size_t spelling_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t i = 0; i <= b.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void ArgumentFields::add(std::string_view name, std::string spelled) {
  std::string key = key_of_name(name);
  if (key.empty()) return;
  const auto at = std::ranges::lower_bound(fields_, key, {}, &Field::key);
  if (at != fields_.end() && at->key == key) {
    at->name = std::min(at->name, spelled);  // whatever is found first
    return;
  }
  fields_.insert(at, {std::move(spelled), std::move(key)});
}

bool ArgumentFields::has(std::string_view key) const {
  const auto at = std::ranges::lower_bound(fields_, key, {}, &Field::key);
  return at != fields_.end() && at->key == key;
}

std::string ArgumentFields::nearest(std::string_view key) const {
  std::size_t least = key.size() / 3 + 1;
  std::string found;
  for (const Field& field : fields_) {
    const std::size_t longer = std::max(field.key.size(), key.size());
    if (longer - std::min(field.key.size(), key.size()) >= least) continue;
    const std::size_t distance = spelling_distance(field.key, key);
    if (distance >= least) continue;
    least = distance;
    found = field.key;
  }
  return found;
}

}  // namespace kino
