// The command `pack`: writes a trace or a snapshot as a capsule, one small file that opens as it does.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Prints what was written and what was replaced, or on the standard error why nothing was. Returns the exit
/// code.
int run_pack_command(const CommandLine& command);

}  // namespace kino
