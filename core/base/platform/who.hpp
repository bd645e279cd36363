// What this machine and whoever uses it are called.
#pragma once

#include <string>
#include <vector>

namespace kino {

/// The name of the host, whole and up to the first dot, and of the user as the environment and the home
/// folder have it; without "root", which is a word as well. Those that cannot be told are missing.
std::vector<std::string> names_of_this_machine();

}  // namespace kino
