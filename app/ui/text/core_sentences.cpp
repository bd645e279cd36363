#include "app/ui/text/core_sentences.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kino {
namespace {

using Translations = std::array<std::string_view, kLanguageCount>;

constexpr Translations kSentences[] = {
#define KINO_MESSAGE(id, english, japanese, chinese) {english, japanese, chinese},
#include "core/base/messages/catalogue.def"
#include "core/base/messages/message.hpp"
#undef KINO_MESSAGE
};

constexpr int kDeepestSlot = 3;

bool is_slot(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '{' && text[at + 1] >= '0' && text[at + 1] <= '9' &&
         text[at + 2] == '}';
}

/// A sentence with slots: what stands before, between and behind them.
struct Pattern {
  std::size_t sentence = 0;
  std::vector<std::string_view> pieces;
  std::vector<std::size_t> slots;  // one fewer
  std::size_t letters = 0;
};

Pattern pattern_of(std::size_t sentence) {
  const std::string_view text = kSentences[sentence][0];
  Pattern pattern{sentence, {}, {}, 0};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_slot(text, i)) continue;
    pattern.pieces.push_back(text.substr(begin, i - begin));
    pattern.slots.push_back(static_cast<std::size_t>(text[i + 1] - '0'));
    begin = i + 3;
  }
  pattern.pieces.push_back(text.substr(begin));
  for (const std::string_view piece : pattern.pieces) pattern.letters += piece.size();
  return pattern;
}

struct Catalogue {
  std::unordered_map<std::string_view, std::size_t> whole;
  std::vector<Pattern> patterns;  // what says most first

  Catalogue() {
    for (std::size_t i = 0; i < std::size(kSentences); ++i) {
      // Texts for terminals have no translation, and many names contain " of ".
      if (kSentences[i][1].empty() || i == static_cast<std::size_t>(msg::count_of_all)) continue;
      Pattern pattern = pattern_of(i);
      if (pattern.slots.empty()) {
        whole.emplace(kSentences[i][0], i);
      } else {
        patterns.push_back(std::move(pattern));
      }
    }
    std::ranges::stable_sort(patterns, std::ranges::greater(), [](const Pattern& pattern) {
      const int anchored = (pattern.pieces.front().empty() ? 0 : 1) + (pattern.pieces.back().empty() ? 0 : 1);
      return std::pair(anchored, pattern.letters);
    });
  }
};

const Catalogue& catalogue() {
  static const Catalogue only;
  return only;
}

/// What stands in the slots of a text; nullopt when it is another sentence. Slots are as short as they can
/// be, but never empty.
std::optional<std::vector<std::string_view>> slots_in(const Pattern& pattern, std::string_view text) {
  if (!text.starts_with(pattern.pieces.front())) return std::nullopt;
  if (text.size() <= pattern.letters || !text.ends_with(pattern.pieces.back())) return std::nullopt;
  std::vector<std::string_view> values;
  std::size_t at = pattern.pieces.front().size();
  const std::size_t end = text.size() - pattern.pieces.back().size();
  for (std::size_t i = 1; i < pattern.pieces.size(); ++i) {
    const bool last = i + 1 == pattern.pieces.size();
    const std::size_t found = last ? end : text.find(pattern.pieces[i], at + 1);
    if (found == std::string_view::npos || found <= at || found > end) return std::nullopt;
    values.push_back(text.substr(at, found - at));
    if (values.back().find(". ") != std::string_view::npos) return std::nullopt;  // several sentences
    at = found + pattern.pieces[i].size();
  }
  return values;
}

std::optional<std::string> translated(std::string_view english, Language language, int depth);

std::string filled_in(std::string_view form, const Pattern& pattern,
                      const std::vector<std::string_view>& values, Language language, int depth) {
  std::string out;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (!is_slot(form, i)) {
      out += form[i];
      continue;
    }
    const auto slot = static_cast<std::size_t>(form[i + 1] - '0');
    const auto at = std::ranges::find(pattern.slots, slot);
    if (at != pattern.slots.end()) {
      const std::string_view value = values[static_cast<std::size_t>(at - pattern.slots.begin())];
      out += translated(value, language, depth + 1).value_or(std::string(value));
    }
    i += 2;
  }
  return out;
}

std::optional<std::string> translated(std::string_view english, Language language, int depth) {
  const auto index = static_cast<std::size_t>(language);
  const auto whole = catalogue().whole.find(english);
  if (whole != catalogue().whole.end()) return std::string(kSentences[whole->second][index]);
  if (depth > kDeepestSlot) return std::nullopt;
  for (const Pattern& pattern : catalogue().patterns) {
    const auto values = slots_in(pattern, english);
    if (values) return filled_in(kSentences[pattern.sentence][index], pattern, *values, language, depth);
  }
  return std::nullopt;
}

/// Keys of the columns whose cells are core's own words, besides names of the file.
constexpr std::array<std::string_view, 18> kWordColumns{
    "item",  "share_of", "of",       "text", "kind",         "type",
    "cause", "phase",    "complete", "use",  "tensor_cores", "tensor_cores_eligible",
    "place", "life",     "base",     "why",  "state",        "category"};

}  // namespace

std::optional<std::string> core_sentence(std::string_view english, Language language) {
  if (english.empty() || language == Language::english) return std::string(english);
  if (auto whole = translated(english, language, 0)) return whole;
  // Several sentences in a row.
  std::string out;
  std::string_view rest = english;
  while (!rest.empty()) {
    std::size_t end = rest.find(". ");
    while (end != std::string_view::npos && !translated(rest.substr(0, end + 1), language, 0))
      end = rest.find(". ", end + 1);
    const std::string_view sentence = end == std::string_view::npos ? rest : rest.substr(0, end + 1);
    auto part = translated(sentence, language, 0);
    if (!part) return std::nullopt;
    out += *part;
    rest.remove_prefix(std::min(rest.size(), sentence.size() + 1));
  }
  return out;
}

std::string in_language(const Message& message) {
  if (!message.is_verbatim()) return message.str(language());
  std::string english = message.str();
  return core_sentence(english, language()).value_or(english);
}

bool says_words(const TableColumn& column) {
  return std::ranges::find(kWordColumns, column.key) != kWordColumns.end();
}

std::string shown_cell(const TableColumn& column, std::string_view english) {
  return says_words(column) ? in_language(english) : std::string(english);
}

std::size_t core_sentence_count() { return std::size(kSentences); }

std::string_view core_sentence_text(std::size_t index, Language language) {
  return kSentences[index][static_cast<std::size_t>(language)];
}

}  // namespace kino
