// `kinetoscope screenshot`: the window's picture as a PNG file, without a window.
#pragma once

#include "app/command_line.hpp"

namespace kino {

/// Loads, draws until every tile is there, writes; the exit code. An error is printed on stderr as one
/// sentence.
int run_screenshot_command(const CommandLine& command);

}  // namespace kino
