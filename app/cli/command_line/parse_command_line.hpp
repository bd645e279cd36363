// Parses the command line into a command with its options, or into the text to print instead.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/command_documents.hpp"

namespace kino {

struct ParsedCommandLine {
  const CommandText* words = nullptr;  ///< texts of the command; null if there is none
  std::unique_ptr<Command> command;    ///< null if `text` is to be printed instead
  int exit_code = 0;                   ///< if there is no command: 0 unless the command line is wrong
  std::string text;                    ///< if there is no command: text for stdout (exit_code 0) or stderr
};

/// Parses argv, with argc >= 1; the first of `commands` is the program itself. Never exits and never prints.
ParsedCommandLine parse_command_line(std::span<const CommandRow> commands, int argc, const char* const* argv);

/// Returns all commands with their options, for the manual page and completions.
std::vector<CommandWords> words_of_commands(std::span<const CommandRow> commands);

}  // namespace kino
