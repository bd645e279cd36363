#include "app/ui/box/title_match.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/ui/widgets/fuzzy_match.hpp"
#include "core/base/ascii.hpp"

namespace kino {
namespace {

constexpr std::size_t kShortestFuzzy = 3;  // letters; fewer would match by chance

struct Word {
  std::size_t begin = 0;
  std::string text;  // in lower case
};

bool is_word_part(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || is_letter(c) || is_digit(c);
}

/// Splits a text at all ASCII characters except letters and digits.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word_part(text[i])) continue;
    if (i == 0 || !is_word_part(text[i - 1])) words.push_back({i, {}});
    words.back().text += lower(text[i]);
  }
  return words;
}

void add_positions(std::size_t begin, std::size_t count, std::vector<std::size_t>& positions) {
  const std::size_t before = positions.size();
  positions.resize(before + count);
  std::iota(positions.begin() + static_cast<std::ptrdiff_t>(before), positions.end(), begin);
}

/// Returns the matched bytes if each word of `typed` begins a word of `text`.
std::optional<std::vector<std::size_t>> begins_of_words(const std::vector<Word>& typed,
                                                        const std::vector<Word>& text) {
  std::vector<std::size_t> positions;
  if (typed.empty()) return std::nullopt;
  for (const Word& wanted : typed) {
    const auto found =
        std::ranges::find_if(text, [&](const Word& word) { return word.text.starts_with(wanted.text); });
    if (found == text.end()) return std::nullopt;
    add_positions(found->begin, wanted.text.size(), positions);
  }
  std::ranges::sort(positions);
  const auto twice = std::unique(positions.begin(), positions.end());
  positions.erase(twice, positions.end());
  return positions;
}

std::optional<TitleMatch> match_one_title(std::string_view text, const std::vector<Word>& typed,
                                          std::string_view title) {
  const std::string low = lowered(title);
  const std::size_t at = low.find(text);
  TitleMatch match;
  if (at == 0) {
    add_positions(0, text.size(), match.positions);
    match.rank = low.size() == text.size() ? TitleRank::title : TitleRank::title_start;
    return match;
  }
  if (auto positions = begins_of_words(typed, words_of(title)))
    return TitleMatch{TitleRank::title_words, std::move(*positions)};
  if (at == std::string::npos) return std::nullopt;
  match.rank = TitleRank::title_part;
  add_positions(at, text.size(), match.positions);
  return match;
}

/// Calls `visit` with each of the words of a list in lower case.
template <class Visit>
void for_each_search_word(std::string_view list, const Visit& visit) {
  constexpr std::string_view kSeparator = ", ";
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(kSeparator), list.size());
    visit(lowered(list.substr(0, end)));
    list.remove_prefix(std::min(end + kSeparator.size(), list.size()));
  }
}

std::optional<TitleRank> match_search_words(std::string_view text, const std::vector<Word>& typed,
                                            const std::vector<std::string_view>& lists) {
  std::optional<TitleRank> best;
  const auto note = [&best](TitleRank rank) { best = std::max(best.value_or(rank), rank); };
  for (const std::string_view list : lists) {
    for_each_search_word(list, [&](const std::string& word) {
      if (word == text) {
        note(TitleRank::whole_words);
      } else if (word.starts_with(text) || begins_of_words(typed, words_of(word))) {
        note(TitleRank::words);
      }
    });
  }
  return best;
}

/// Whether the letters of each typed word occur in order within one word, which starts with the first letter
/// and is at most twice as long.
bool fuzzy_in_words(const std::vector<Word>& typed, std::string_view text) {
  const std::vector<Word> words = words_of(text);
  return !typed.empty() && std::ranges::all_of(typed, [&](const Word& wanted) {
    return wanted.text.size() >= kShortestFuzzy && std::ranges::any_of(words, [&](const Word& word) {
             return word.text.front() == wanted.text.front() && word.text.size() <= 2 * wanted.text.size() &&
                    fuzzy_match(wanted.text, word.text).has_value();
           });
  });
}

}  // namespace

std::optional<TitleMatch> match_title(std::string_view text, const TitleTexts& texts) {
  text = trimmed(text);
  if (text.empty()) return TitleMatch{TitleRank::title, {}};
  const std::string low = lowered(text);
  const std::vector<Word> typed = words_of(low);
  std::optional<TitleMatch> match = match_one_title(low, typed, texts.title);
  const std::optional<TitleRank> by_words = match_search_words(low, typed, texts.words);
  if (match && match->rank >= by_words.value_or(match->rank)) return match;
  if (by_words) return TitleMatch{*by_words, {}};
  for (const std::string& other : texts.other_titles) {
    if (match_one_title(low, typed, other)) return TitleMatch{TitleRank::other_title, {}};
  }
  if (begins_of_words(typed, words_of(texts.name))) return TitleMatch{TitleRank::name, {}};
  const bool fuzzy =
      fuzzy_in_words(typed, texts.title) || fuzzy_in_words(typed, texts.name) ||
      std::ranges::any_of(texts.words, [&](std::string_view list) { return fuzzy_in_words(typed, list); });
  if (fuzzy) return TitleMatch{TitleRank::one_word, {}};
  return std::nullopt;
}

}  // namespace kino
