// A lock on a folder, for programs that read and replace a file in it.
#pragma once

#include <filesystem>

#include "core/base/platform/descriptor.hpp"

namespace kino {

/// Waits until the lock is free; the system releases it when its owner dies. Holds nothing if
/// the file system does not support locks or the folder does not exist.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Descriptor folder_;
};

}  // namespace kino
