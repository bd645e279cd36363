// `kinetoscope query`: SQL over traces, without a display.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Loads, asks and prints; the exit code. An error is printed on stderr as one sentence.
int run_query_command(const CommandLine& command);

}  // namespace kino
