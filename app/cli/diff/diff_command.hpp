// `kinetoscope diff`: compares two runs, prints the answer, and ends with what the gate says.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Reads, compares and prints; 0 to 4 as README.md has it. An error is printed on stderr as one sentence.
int run_diff_command(const CommandLine& command);

}  // namespace kino
