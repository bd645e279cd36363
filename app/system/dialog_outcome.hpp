// What another program's dialog for files says, and what became of asking.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kino {

/// Taken on the UI thread, since dialogs are asked on one of their own.
struct DialogTexts {
  std::string title;
  std::string traces;     ///< the filter for what opens
  std::string all_files;  ///< the filter for everything
  std::string save_as{};  ///< a name suggested for a file to write; empty: files to open are asked for
};

struct DialogOutcome {
  enum class Kind { chosen, cancelled, unavailable };
  Kind kind = Kind::unavailable;
  std::vector<std::filesystem::path> files;  ///< when chosen: at least one
};

}  // namespace kino
