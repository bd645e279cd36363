// `kinetoscope table`: any table of a trace as text, CSV, JSON or Markdown, without a display.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Loads, computes and prints; the exit code. An error is printed on stderr as one sentence.
int run_table_command(const CommandLine& command);

}  // namespace kino
