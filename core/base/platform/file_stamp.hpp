// Detects changes of a file on disk without reading it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kino {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  ///< Unix time
  std::int64_t changed_ns = 0;   ///< last change of content, name or permissions; cannot be set back
  /// Whether both stamps describe the same state of the same file, ignoring its name and permissions.
  bool operator==(const FileStamp& other) const {
    return device == other.device && inode == other.inode && same_content(other);
  }
  /// Whether size and modification time are equal. If both stamps are from one open descriptor, its content
  /// is then unchanged, as far as a stamp can show.
  bool same_content(const FileStamp& other) const {
    return size_bytes == other.size_bytes && modified_ns == other.modified_ns;
  }
};

/// Returns the stamp of a file; nullopt if there is no such file or it is not accessible.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);
std::optional<FileStamp> stamp_of(int fd);
/// Stamp of this program's executable.
std::optional<FileStamp> stamp_of_program();

}  // namespace kino
