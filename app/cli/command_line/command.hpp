// A command of the program: its texts, its options and its implementation.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/cli/command_line/opening_options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace kino {

/// Texts of a command in the help, the manual page and the completions.
struct CommandText {
  std::string_view name;         ///< "trim"; empty for the program without a command, which opens the window
  std::string_view synopsis;     ///< "FILE OUT --range A..B"
  std::string_view about;        ///< "Write part of ...": its line in the list of commands
  std::string_view description;  ///< "Writes the part ...": the first line of the command's own help
  bool draws = false;            ///< loads OpenGL
  int usage_error = 2;           ///< exit code if the command line is wrong
};

/// A command with its options. Each command is a struct derived from this one, with its texts in a constant
/// `kText` and its options in members.
struct Command {
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Declares the options, whose values are written to the members, and the text below the options.
  virtual void declare(CLI::App& app) = 0;
  /// Derives the remaining members after parsing. Returns the problem with the options; empty if there is
  /// none.
  virtual std::string finish() { return {}; }
  /// Returns the text below the help that depends on the other arguments of the command line.
  virtual std::string more_help() const { return {}; }
  /// Executes the command and returns the exit code. Errors are printed to stderr, one sentence each.
  virtual int run() const = 0;

  OpeningOptions opening;
};

/// One row of the table of commands.
struct CommandRow {
  CommandText text;
  std::unique_ptr<Command> (*make)();
};

template <class Kind>
constexpr CommandRow command_row() {
  return {Kind::kText, []() -> std::unique_ptr<Command> { return std::make_unique<Kind>(); }};
}

}  // namespace kino
