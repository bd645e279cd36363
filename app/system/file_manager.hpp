// Shows files in the desktop's file manager, and opens documents, without waiting for the other program.
#pragma once

#include <filesystem>
#include <string>
#include <thread>

namespace kino {

/// Converts an absolute path to "file:///a%20b", escaping every byte except letters, digits and -._~/.
std::string uri_from_path(const std::filesystem::path& path);

/// Used by the UI thread only. Each call blocks for at most 0.1 s. Failures are printed to standard error.
class FileManager {
 public:
  /// Calls org.freedesktop.FileManager1 over D-Bus to show the file in its folder. If no file manager shows
  /// it within 8 s, opens the folder with xdg-open. An earlier request is canceled.
  void reveal(const std::filesystem::path& file);
  /// Opens a document with xdg-open, in the desktop's program for its type.
  void open(const std::filesystem::path& file);

 private:
  std::jthread worker_;
};

}  // namespace kino
