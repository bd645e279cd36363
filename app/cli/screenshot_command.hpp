// `kinetoscope screenshot`: the window's picture as a PNG file, without a window.
#pragma once

#include <string>

#include "app/shell/settings/command_line.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"

namespace kino {

/// The picture as a PNG file. Loads, and draws until every tile is there, for a minute at most. `damage` gets
/// what was wrong with the file.
Result<std::string> screenshot_png(const CommandLine& command, DamageLog* damage = nullptr);

/// Loads, draws until every tile is there, writes; the exit code. An error is printed on stderr as one
/// sentence.
int run_screenshot_command(const CommandLine& command);

}  // namespace kino
