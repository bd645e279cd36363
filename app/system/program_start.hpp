// Starts other programs of the desktop, by their path and arguments, never through a shell.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

/// The path of an executable of this name in $PATH; relative folders there do not count.
std::optional<std::string> find_program(std::string_view name);

/// Runs `command`, its program's path first, in a session of its own and without input. Returns when it ends,
/// whether it could be started and ended well; true when stopped before that. For a thread of its own.
bool run_program(const std::vector<std::string>& command, const std::stop_token& stop);

}  // namespace kino
