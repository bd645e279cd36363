// What became of asking a person for files in another program's dialog.
#pragma once

#include <filesystem>
#include <vector>

namespace kino {

struct DialogOutcome {
  enum class Kind { chosen, cancelled, unavailable };
  Kind kind = Kind::unavailable;
  std::vector<std::filesystem::path> files;  ///< when chosen: at least one
};

}  // namespace kino
