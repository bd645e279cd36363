// Shows a file in the desktop's file manager without waiting for it.
#pragma once

#include <filesystem>
#include <string>
#include <thread>

namespace kino {

/// Converts an absolute path to "file:///a%20b", escaping every byte that is not unreserved in a URI.
std::string uri_from_path(const std::filesystem::path& path);

/// UI thread only; blocks it for at most 0.1 s.
class FileManager {
 public:
  /// Calls org.freedesktop.FileManager1 over D-Bus to show the file in its folder. If there is no answer,
  /// opens the folder with xdg-open. An earlier request is canceled.
  void reveal(const std::filesystem::path& file);
  /// Opens a document with xdg-open, in the desktop's program for its type.
  void open(const std::filesystem::path& file);

 private:
  std::jthread worker_;
};

}  // namespace kino
