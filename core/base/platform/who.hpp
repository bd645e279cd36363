// Names of this machine and its user.
#pragma once

#include <string>
#include <vector>

namespace kino {

/// The host name, full and up to the first dot, and the user's name from the environment and the home folder;
/// without "root", which is also a common word. Unknown names are missing.

std::vector<std::string> machine_and_user_names();

}  // namespace kino
