// Runs a program and measures its time, processor time and peak memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kino_test {

struct ChildRun {
  int exit_code = -1;  ///< -1 if it was killed or could not be started
  double seconds = 0;  ///< wall time, including loading the program
  double user_seconds = 0;
  double system_seconds = 0;
  double peak_rss_bytes = 0;
  std::string output;  ///< stdout
};

/// Runs `command`, a path followed by arguments, and waits for its end.
ChildRun run_child(const std::vector<std::string>& command, bool discard_errors = false);

/// Returns the path of a program in PATH.
std::optional<std::string> find_program(const std::string& name);

}  // namespace kino_test
