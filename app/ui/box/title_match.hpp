// Decides how well a typed text matches the title of a command or table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// The texts by which a command or table is found.
struct TitleTexts {
  std::string title;                      ///< as shown
  std::vector<std::string> other_titles;  ///< in other languages
  std::vector<std::string_view> words;    ///< search words of all languages, each a list separated by ", "
  std::string_view name;                  ///< name in keys.json or on the command line
};

/// A better match has a higher rank.
enum class TitleRank {
  one_word,     ///< the letters occur in order within one word of the title, the name or a search word
  name,         ///< the words of the text begin words of the name
  other_title,  ///< a title in another language matches
  words,        ///< a search word begins with the text, or its words begin with the words of the text
  title_part,   ///< the title contains the text
  title_words,  ///< each word of the text begins a word of the title
  whole_words,  ///< the text is a search word
  title_start,  ///< the title begins with the text
  title,        ///< the text is the title
};

struct TitleMatch {
  TitleRank rank{};
  std::vector<std::size_t>
      positions;  ///< matched bytes of the title, ascending; empty if another text matched
  bool operator==(const TitleMatch&) const = default;
};

/// Matches a text, ignoring leading and trailing spaces and the case of ASCII letters. An empty text matches every
/// title. nullopt if nothing matches. O(bytes of all texts).
std::optional<TitleMatch> match_title(std::string_view text, const TitleTexts& texts);

}  // namespace kino
