// `kinetoscope report`: a trace or an allocator snapshot as one HTML page, without a display.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Loads, computes, draws and writes; the exit code. An error is printed on stderr as one sentence; where the
/// timeline cannot be drawn, the page says so instead.
int run_report_command(const CommandLine& command);

}  // namespace kino
