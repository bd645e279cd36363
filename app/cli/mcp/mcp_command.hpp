// `kinetoscope mcp`: the Model Context Protocol on the standard input and output, a message a line.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Answers until the input ends; the exit code.
int run_mcp_command(const CommandLine& command);

}  // namespace kino
