// The program's window: processes input, draws after changes, and sleeps in between.
#pragma once

#include <optional>

#include "app/cli/command_line/opening_options.hpp"
#include "app/cli/command_line/window_options.hpp"

namespace kino {

/// Opens the files of the command line in a running window, or in a new one. Returns the exit code: at once if
/// a running window has accepted the files, otherwise once the new window is closed. If no window can be
/// opened, prints the reason to stderr and returns nullopt.
std::optional<int> run_window(const WindowOptions& command, const OpeningOptions& opening);

}  // namespace kino
