// Parses the command line into a command with its options, or into the text that answers it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/command_documents.hpp"

namespace kino {

struct ParsedCommandLine {
  const CommandText* words = nullptr;  ///< of the command
  std::unique_ptr<Command> command;    ///< null for --help, --version and mistakes
  int exit_code = 0;                   ///< without a command: 0 for help and version
  std::string text;                    ///< without a command: for stdout if exit_code is 0, else for stderr
};

/// Needs argc >= 1; the first of `commands` is the program itself. Never exits and never prints.
ParsedCommandLine parse_command_line(std::span<const CommandRow> commands, int argc, const char* const* argv);

/// The words of all commands and their options, for the manual page and completions.
std::vector<CommandWords> words_of_commands(std::span<const CommandRow> commands);

}  // namespace kino
