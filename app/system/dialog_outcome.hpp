// Texts and result of a file dialog of another program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kino {

/// Made on the UI thread, since dialogs run on a thread of their own.
struct DialogTexts {
  std::string title;
  std::string traces;     ///< the filter for supported files
  std::string all_files;  ///< the filter for all files
  std::string save_as{};  ///< name suggested for a file to save; empty: open files
};

struct DialogResult {
  enum class Kind { chosen, cancelled, unavailable };
  Kind kind = Kind::unavailable;
  std::vector<std::filesystem::path> files;  ///< if chosen: at least one
};

}  // namespace kino
