// Type, owner, permissions and size of the file behind a name or a descriptor.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/platform/file_stamp.hpp"
#include "core/base/result.hpp"

namespace kino {

enum class FileType : std::uint8_t { regular, folder, link, pipe, socket, device };

struct FileFacts {
  FileType type = FileType::device;
  bool mine = false;             ///< owned by the user of this process
  unsigned permissions = 0;      ///< bits of chmod(2)
  std::uint64_t names = 0;       ///< number of hard links; 0 after the last one is removed, or without a name
  std::uint64_t disk_bytes = 0;  ///< allocated on disk; less than its size if it has holes
  FileStamp stamp;
};

/// Follows symbolic links. Errors as system_failure().
Result<FileFacts> file_facts(const std::filesystem::path& path);
Result<FileFacts> file_facts(int fd);
/// Describes a symbolic link itself.
Result<FileFacts> link_facts(const std::filesystem::path& path);

/// Creates a folder for this user alone; true if it is new.
bool make_private_folder(const std::filesystem::path& folder);
/// Denies others access to a folder. True if it is a folder of this user, not a link, and is now private.
bool make_private(const std::filesystem::path& folder);

}  // namespace kino
