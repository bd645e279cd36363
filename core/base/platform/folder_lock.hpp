// A lock on a folder, for programs that read and replace a file in it.
#pragma once

#include <filesystem>

#include "core/base/platform/descriptor.hpp"

namespace kino {

/// An exclusive lock on a folder. The constructor waits until the lock is free; the system releases the lock
/// when its owner dies. If the file system does not support locks, the folder cannot be opened, or a signal
/// interrupts the wait, nothing is locked.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Descriptor folder_;
};

}  // namespace kino
