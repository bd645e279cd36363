// Finds the letters of a query in a title, in order, and scores the match.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace kino {

struct FuzzyMatch {
  int score = 0;                       ///< higher is better; only comparable for the same query
  std::vector<std::size_t> positions;  ///< matched bytes of the text, ascending
};

/// Matches all characters of `query` except spaces against `text`, in order, ignoring the case of ASCII
/// letters. Consecutive letters, starts of words and the start of the text score higher; short texts are
/// preferred. nullopt if a character is missing. Uses the first 64 bytes of `query` and 512 of `text`.
/// O(query x text).
std::optional<FuzzyMatch> fuzzy_match(std::string_view query, std::string_view text);

}  // namespace kino
