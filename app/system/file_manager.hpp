// Shows a file in the desktop's file manager, without waiting for it.
#pragma once

#include <filesystem>
#include <string>
#include <thread>

namespace kino {

/// "file:///a%20b" for an absolute path; every byte that is not unreserved in a URI is escaped.
std::string uri_from_path(const std::filesystem::path& path);

/// UI thread only; holds it up by 0.1 s at most.
class FileManager {
 public:
  FileManager() = default;
  FileManager(const FileManager&) = delete;
  FileManager& operator=(const FileManager&) = delete;
  ~FileManager() = default;

  /// Asks the file manager by D-Bus (org.freedesktop.FileManager1) to show the file in its folder; when none
  /// answers, opens the folder by xdg-open. What is under way for another file is given up.
  void reveal(const std::filesystem::path& file);
  /// Opens a document with the desktop's program for its type, by xdg-open.
  void open(const std::filesystem::path& file);

 private:
  std::jthread worker_;
};

}  // namespace kino
