// The manual page and the shell completions, generated from the declared options like --help.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

struct OptionWords {
  std::vector<std::string> names;    ///< "-h", "--help"; for a positional argument one name, in capitals
  std::string value;                 ///< "FILE", "en|ja|zh"; empty: none
  std::vector<std::string> choices;  ///< the permitted values; empty: any
  std::string about;
  bool by_place = false;
};

struct CommandWords {
  std::string name;         ///< "info"; empty: the program without a command
  std::string synopsis;     ///< "FILE [--json]"
  std::string about;        ///< "Print a summary of a file, ..."
  std::string description;  ///< "Prints a summary of a trace, ..."
  std::vector<OptionWords> options;
  std::string more;  ///< text below the options, with its lines unchanged
};

/// The exit codes of the program, one line each.
extern const std::string_view kExitCodes;

/// Returns the manual page as roff, section 1. The first of `commands` must be the program itself.
std::string manual_page(std::span<const CommandWords> commands, std::string_view version);

/// Returns the completion script for "bash", "zsh" or "fish"; nullopt for other shells. The scripts complete
/// file names, options and their choices.
std::optional<std::string> completion_script(std::span<const CommandWords> commands, std::string_view shell);

}  // namespace kino
