#include "app/ui/widgets/fuzzy_match.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <utility>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kLongestQuery = 64;
constexpr std::size_t kLongestText = 512;
constexpr int kNone = std::numeric_limits<int>::min() / 2;
constexpr int kMatched = 16;
constexpr int kInARow = 24;
constexpr int kWordStart = 20;
constexpr int kTextStart = 8;

/// Whether a word starts at byte `i`. All bytes outside of ASCII count as letters.
bool starts_word(std::string_view text, std::size_t i) {
  const unsigned char before = i == 0 ? ' ' : static_cast<unsigned char>(text[i - 1]);
  return before < 0x80 && std::isalnum(before) == 0;
}

// State of one letter of the query, by its position in the text: the best score, and the position of the
// previous letter that leads to this score.
struct LetterStep {
  std::vector<int> score;
  std::vector<std::size_t> from;
};

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(std::string_view query, std::string_view text) {
  std::string letters;
  for (const char c : query.substr(0, kLongestQuery)) {
    if (c != ' ') letters += lower(c);
  }
  text = text.substr(0, kLongestText);
  if (letters.empty()) return FuzzyMatch{};

  std::vector<LetterStep> steps;
  for (std::size_t letter = 0; letter < letters.size(); ++letter) {
    LetterStep step{.score = std::vector<int>(text.size(), kNone),
                    .from = std::vector<std::size_t>(text.size())};
    int best = letter == 0 ? 0 : kNone;  // best score at positions before this one
    std::size_t best_from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool row = letter > 0 && i > 0 && steps.back().score[i - 1] > kNone;
      const int joined_sentences = row ? steps.back().score[i - 1] + kInARow : kNone;
      const int jumped = continues_character(letters[letter]) ? kNone : best;
      if (lower(text[i]) == letters[letter] && std::max(jumped, joined_sentences) > kNone) {
        const int place = kMatched + (starts_word(text, i) ? kWordStart : 0) + (i == 0 ? kTextStart : 0);
        step.score[i] = std::max(jumped, joined_sentences) + place;
        step.from[i] = joined_sentences >= jumped ? i - 1 : best_from;
      }
      if (letter > 0 && steps.back().score[i] > best) {
        best = steps.back().score[i];
        best_from = i;
      }
    }
    steps.push_back(std::move(step));
  }
  const auto end = std::ranges::max_element(steps.back().score);
  if (text.empty() || *end <= kNone) return std::nullopt;
  FuzzyMatch match{.score = *end - static_cast<int>(text.size()) / 4, .positions = {}};
  auto place = static_cast<std::size_t>(end - steps.back().score.begin());
  for (std::size_t letter = steps.size(); letter-- > 0;) {
    match.positions.push_back(place);
    place = steps[letter].from[place];
  }
  std::ranges::reverse(match.positions);
  return match;
}

}  // namespace kino
