// The command `trim`: writes the part of a trace that touches a time range as a trace of its own.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Prints what was written, or on the standard error why nothing was. Returns the exit code.
int run_trim_command(const CommandLine& command);

}  // namespace kino
