#include "app/ui/commands/search_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kino {
namespace {

using WordsOfLanguages = std::array<std::string_view, 3>;

struct CommandWords {
  CommandId command{};
  WordsOfLanguages words;
};
struct TableWords {
  std::string_view table;
  WordsOfLanguages words;
};

constexpr CommandWords kCommandWords[] = {
#define KINO_COMMAND_WORDS(id, english, japanese, chinese) {CommandId::id, {english, japanese, chinese}},
#define KINO_TABLE_WORDS(name, english, japanese, chinese)
#include "app/ui/commands/search_words.def"
#undef KINO_TABLE_WORDS
#undef KINO_COMMAND_WORDS
};

constexpr TableWords kTableWords[] = {
#define KINO_COMMAND_WORDS(id, english, japanese, chinese)
#define KINO_TABLE_WORDS(name, english, japanese, chinese) {name, {english, japanese, chinese}},
#include "app/ui/commands/search_words.def"
#undef KINO_TABLE_WORDS
#undef KINO_COMMAND_WORDS
};

}  // namespace

std::string_view search_words(CommandId command, Language language) {
  const auto* const row = std::ranges::find(kCommandWords, command, &CommandWords::command);
  return row == std::end(kCommandWords) ? std::string_view() : row->words[static_cast<std::size_t>(language)];
}

std::string_view search_words(std::string_view table, Language language) {
  const auto* const row = std::ranges::find(kTableWords, table, &TableWords::table);
  return row == std::end(kTableWords) ? std::string_view() : row->words[static_cast<std::size_t>(language)];
}

}  // namespace kino
