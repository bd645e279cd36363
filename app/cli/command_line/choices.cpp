#include "app/cli/command_line/choices.hpp"

#include <CLI/CLI.hpp>

namespace kino {

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words) {
  std::string value;
  for (const std::string& word : words) value.append(value.empty() ? "" : "|").append(word);
  return option->check(CLI::IsMember(words).description(""))->type_name(value);
}

void add_word(CLI::App& app, const std::string& name, const std::vector<std::string>& words,
              const std::string& preset, const std::string& about,
              const std::function<void(const std::string&)>& take) {
  one_of(app.add_option_function<std::string>(name, take, about), words)->default_str(preset);
}

}  // namespace kino
