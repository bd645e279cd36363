// Type, owner, permissions and size of the file behind a name or a descriptor; private folders.
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
  std::uint64_t names = 0;       ///< number of hard links; 0 if the file has no name, or no longer has one
  std::uint64_t disk_bytes = 0;  ///< bytes allocated on disk; less than the file's size if it has holes
  FileStamp stamp;
};

/// Returns the facts of a file; follows symbolic links. Errors are as for system_failure().
Result<FileFacts> file_facts(const std::filesystem::path& path);
Result<FileFacts> file_facts(int fd);
/// Returns the facts of `path`; if it is a symbolic link, those of the link itself.
Result<FileFacts> link_facts(const std::filesystem::path& path);

/// Creates a folder that only this user can access. Returns false if the folder exists or cannot be created.
bool make_private_folder(const std::filesystem::path& folder);
/// Denies other users access to a folder. Returns true if `folder` is a folder of this user, not a link, and
/// is now private.
bool make_private(const std::filesystem::path& folder);

}  // namespace kino
