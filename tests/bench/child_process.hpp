// Runs a program and tells what it took: time, processor time, peak memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kino_test {

struct ChildRun {
  int exit_code = -1;  ///< -1 when it was killed or could not be started
  double seconds = 0;  ///< from start to end, with loading the program
  double user_seconds = 0;
  double system_seconds = 0;
  double peak_rss_bytes = 0;
  std::string output;  ///< of stdout
};

/// Waits for its end. `command` is the program's path and its arguments.
ChildRun run_child(const std::vector<std::string>& command, bool discard_errors = false);

/// Where PATH has the program.
std::optional<std::string> find_program(const std::string& name);

}  // namespace kino_test
