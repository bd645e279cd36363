// Starts programs by path and arguments, never with a shell.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// Returns the path of an executable of this name in $PATH, ignoring relative folders.
std::optional<std::string> find_program(std::string_view name);
/// find_program() with `path_variable` instead of $PATH.
std::optional<std::string> find_program(std::string_view name, std::string_view path_variable);

/// Runs `command`, whose first word is the program's path, in a session of its own and without input. Returns
/// whether the program was started and ended with exit code 0; true if `stop` was requested before its end.
/// Requires a thread of its own.
bool run_program(const std::vector<std::string>& command, const std::stop_token& stop);

struct ProgramResult {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string output;  ///< printed text, truncated to about 1 MiB
  bool stopped = false;
};
enum class ProgramOutput { standard, with_errors };
/// Runs `command`, whose first word is the program's path, with empty input. Reads its output, `with_errors`
/// also its error messages, until the program closes it, then waits until the program ends. Returns nullopt
/// if the program cannot be started. On a stop request, sends SIGTERM within 100 ms. Requires a thread of its
/// own.
std::optional<ProgramResult> run_for_output(const std::vector<std::string>& command,
                                            const std::stop_token& stop,
                                            ProgramOutput read = ProgramOutput::standard);

/// Whether the standard output is a terminal.
bool prints_to_terminal();

}  // namespace kino
