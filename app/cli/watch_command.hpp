// `kinetoscope watch`: what is in each trace and snapshot of a folder, as a run writes them.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Prints what `info` prints of each file that becomes whole, one after the other, until so many were told of
/// as the command says, or for ever. What cannot be opened is said on the standard error, and is no end. 1
/// when there is no such folder, or nobody reads what is printed.
int run_watch_command(const CommandLine& command);

}  // namespace kino
