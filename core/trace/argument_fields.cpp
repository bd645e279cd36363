#include "core/trace/argument_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/trace/argument_term.hpp"

namespace kino {
namespace {

/// Returns the smallest number of changed, added and removed characters between two texts (Levenshtein 1966).
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
  std::string key = argument_key(name);
  if (key.empty()) return;
  const auto field = std::ranges::lower_bound(fields_, key, {}, &Field::key);
  if (field != fields_.end() && field->key == key) {
    field->name = std::min(field->name, spelled);  // the choice does not depend on the order of events
    return;
  }
  fields_.insert(field, {std::move(spelled), std::move(key)});
}

bool ArgumentFields::has(std::string_view key) const {
  const auto field = std::ranges::lower_bound(fields_, key, {}, &Field::key);
  return field != fields_.end() && field->key == key;
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
