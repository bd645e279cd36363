// Options whose value is one of a few words.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
class Option;
}  // namespace CLI

namespace kino {

/// Restricts an option to these words. Help and completions show them as "a|b".
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words);

/// Adds an option that passes one of `words` to `take`. `preset` is the word shown as the default, or empty
/// if there is none.
void add_word(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
              const std::string& preset, const std::string& about,
              const std::function<void(const std::string&)>& take);

/// Adds an option that sets `target` to the value of a word. If the initial value is one of the choices, the
/// help shows it as the default.
template <class Target>
void add_choice(CLI::App& app, const std::string& name, Target& target,
                const std::vector<std::pair<std::string, std::type_identity_t<Target>>>& choices,
                const std::string& about) {
  std::vector<std::string> words;
  std::string preset;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    if (value == target) preset = word;
  }
  add_word(app, name, words, preset, about, [&target, choices](const std::string& given) {
    for (const auto& [word, value] : choices) {
      if (word == given) target = value;
    }
  });
}

}  // namespace kino
