// The program's window: opens it, feeds it input, draws when something changed and sleeps otherwise.
#pragma once

#include <optional>

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Opens the window with the files of the command line and returns when it is closed; the exit code. Nothing
/// where no window can be opened, which is then told on stderr.
std::optional<int> run_window(const CommandLine& command);

}  // namespace kino
