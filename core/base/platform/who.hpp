// Names of this machine and its user.
#pragma once

#include <string>
#include <vector>

namespace kino {

/// Returns the host name, in full and up to the first dot, and the user's name from the environment and from
/// the home folder's name. Omits unknown names, "localhost", and "root", which is also a common word.

std::vector<std::string> machine_and_user_names();

}  // namespace kino
