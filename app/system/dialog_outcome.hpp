// Texts and result of a file dialog that another program shows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kino {

/// Texts of a dialog. Made on the UI thread, since dialogs run on other threads, which must not read texts.
struct DialogTexts {
  std::string title;
  std::string traces;     ///< name of the filter for supported files
  std::string all_files;  ///< name of the filter for all files
  std::string save_as{};  ///< name suggested for a file to save; empty: open files
};

struct DialogResult {
  enum class Kind { chosen, cancelled, unavailable };
  Kind kind = Kind::unavailable;
  std::vector<std::filesystem::path> files;  ///< if chosen: at least one
};

}  // namespace kino
