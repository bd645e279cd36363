// The version of this program.
#pragma once

#include <string_view>

namespace kino {

/// Returns the version, such as "0.1.0+1584a56ab": the release, and the commit if the program was built from
/// a clone.
std::string_view program_version();

}  // namespace kino
