#include "core/base/platform/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

namespace kino {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.fd >= 0) ::flock(folder_.fd, LOCK_EX);
}

}  // namespace kino
