// The files and folders that `kinetoscope serve` shares.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace kino {

/// Immutable, so any thread may use it. Another process that can change links in a shared folder can make a
/// file available between the check and its use; such a process can read the file anyway.
class ServedPaths {
 public:
  /// `paths` must exist.
  explicit ServedPaths(std::span<const std::filesystem::path> paths);

  /// Whether the path is one of the paths or below one of them, after links are resolved.
  bool contains(const std::filesystem::path& path) const;
  /// The first folder; empty if there are only files.
  const std::filesystem::path& first_folder() const { return first_folder_; }

 private:
  std::vector<std::filesystem::path> roots_;  // absolute, without links
  std::filesystem::path first_folder_;
};

}  // namespace kino
