// The program's window: processes input, draws after changes, and sleeps in between.
#pragma once

#include <optional>

#include "app/cli/command_line/opening_options.hpp"
#include "app/cli/command_line/window_options.hpp"

namespace kino {

/// Opens the window with the files of the command line. Returns the exit code once it is closed. If no window
/// can be opened, prints the reason to stderr and returns nullopt.
std::optional<int> run_window(const WindowOptions& command, const OpeningOptions& opening);

}  // namespace kino
