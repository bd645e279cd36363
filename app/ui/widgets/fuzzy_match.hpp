// Finds a few typed letters in a title, in order, and says how well they fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace kino {

struct FuzzyMatch {
  int score = 0;                       ///< higher is better; only comparable for the same query
  std::vector<std::size_t> positions;  ///< bytes of the text that were matched, ascending
};

/// All characters of `query` but spaces, in their order, case-insensitive in ASCII. Letters in a row, at the
/// begin of words and near the begin of the text count more; short texts win over long ones. nullopt when
/// they are not all there. O(query x text).
std::optional<FuzzyMatch> fuzzy_match(std::string_view query, std::string_view text);

}  // namespace kino
