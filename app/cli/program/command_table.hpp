// All commands of the program.
#pragma once

#include <span>

#include "app/cli/command_line/command.hpp"

namespace kino {

/// Returns the commands in the order of the help. The first row is the program without a command.
std::span<const CommandRow> command_table();

}  // namespace kino
