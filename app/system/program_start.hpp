// Starts other programs of the desktop, by their path and arguments, never through a shell.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// The path of an executable of this name in $PATH; relative folders there do not count.
std::optional<std::string> find_program(std::string_view name);
/// The same in the folders of `path_variable`.
std::optional<std::string> find_program(std::string_view name, std::string_view path_variable);

/// Runs `command`, its program's path first, in a session of its own and without input. Returns when it ends,
/// whether it could be started and ended well; true when stopped before that. For a thread of its own.
bool run_program(const std::vector<std::string>& command, const std::stop_token& stop);

/// What a program did until it ended.
struct ProgramEnd {
  int exit_code = -1;  ///< -1: a signal ended it
  std::string output;  ///< what it printed, of more than 1 MiB the begin
  bool stopped = false;
};
/// Runs `command`, its program's path first, without input, and waits until it closes its output; nullopt
/// when it cannot be started. Returns within 100 ms of a stop request, with the program told to end. For a
/// thread of its own.
std::optional<ProgramEnd> run_for_output(const std::vector<std::string>& command,
                                         const std::stop_token& stop);

/// Whether what this program prints goes to a terminal.
bool prints_to_terminal();

}  // namespace kino
