// What lies behind a name or a descriptor: a file, a folder, a pipe; of whom, and how large.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/platform/file_stamp.hpp"
#include "core/base/result.hpp"

namespace kino {

enum class FileType : std::uint8_t { regular, folder, link, pipe, socket, device };

struct FileFacts {
  FileType type = FileType::device;
  bool mine = false;             ///< of the user that this process runs as
  unsigned permissions = 0;      ///< as chmod(2) has them
  std::uint64_t names = 0;       ///< that it has; 0: none any more, or never any
  std::uint64_t disk_bytes = 0;  ///< that it takes; less than its size when it has holes
  FileStamp stamp;
};

/// Of what symbolic links lead to. Errors as of system_failure().
Result<FileFacts> file_facts(const std::filesystem::path& path);
Result<FileFacts> file_facts(int fd);
/// Of a symbolic link itself.
Result<FileFacts> link_facts(const std::filesystem::path& path);

/// Makes the folder for this user alone; true when it is new.
bool make_private_folder(const std::filesystem::path& folder);
/// Closes a folder to others. True when it is a folder of this user's, no link to one, and closed now.
bool close_to_others(const std::filesystem::path& folder);

}  // namespace kino
