// What tells one state of a file on disk from another without reading it.
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
  std::int64_t changed_ns = 0;   ///< of content, name or rights; nobody can set it back
  /// Whether it is the same state of the same file, whatever became of its name and rights.
  bool operator==(const FileStamp& other) const {
    return device == other.device && inode == other.inode && same_content(other);
  }
  /// Whether the bytes behind a descriptor that stays open are the same, as far as a stamp can tell.
  bool same_content(const FileStamp& other) const {
    return size_bytes == other.size_bytes && modified_ns == other.modified_ns;
  }
};

/// nullopt when there is no such file, or it cannot be asked.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);
std::optional<FileStamp> stamp_of(int fd);
/// Of the file that this program was started from.
std::optional<FileStamp> stamp_of_program();

}  // namespace kino
