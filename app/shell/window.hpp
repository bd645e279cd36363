// The program's window: opens it, feeds it input, draws when something changed and sleeps otherwise.
#pragma once

#include <optional>

#include "app/cli/command_line/opening_options.hpp"
#include "app/cli/command_line/window_options.hpp"

namespace kino {

/// Opens the window with the files of the command line and returns the exit code when it is closed. If no
/// window can be opened, prints so to stderr and returns nullopt.
std::optional<int> run_window(const WindowOptions& command, const OpeningOptions& opening);

}  // namespace kino
