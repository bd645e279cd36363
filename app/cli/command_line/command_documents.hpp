// The manual page and the completions of shells, made from what --help is made from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

struct OptionWords {
  std::vector<std::string> names;    ///< "-h", "--help"; for a positional argument one, in capitals
  std::string value;                 ///< "FILE", "en|ja|zh"; empty: none
  std::vector<std::string> choices;  ///< the only values; empty: any
  std::string about;
  bool by_place = false;
};

struct CommandWords {
  std::string name;         ///< "info"; empty: the program without a command
  std::string synopsis;     ///< "FILE [--json]"
  std::string about;        ///< "Print what is in a file"
  std::string description;  ///< "Prints what is in a trace."
  std::vector<OptionWords> options;
  std::string more;  ///< below the options; its lines as they are
};

/// The exit codes of the program, one line each.
extern const std::string_view kExitCodes;

/// In roff, section 1. `commands` begins with the program itself.
std::string manual_page(std::span<const CommandWords> commands, std::string_view version);

/// "bash", "zsh", "fish". For files they complete names of files, of options and of their choices. Nothing
/// for another shell.
std::optional<std::string> completion_script(std::span<const CommandWords> commands, std::string_view shell);

}  // namespace kino
