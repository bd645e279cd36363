// A lock of a folder's, for programs that read a file in it and write it anew.
#pragma once

#include <filesystem>

#include "core/base/platform/descriptor.hpp"

namespace kino {

/// Waits until nobody else holds it; the system gives it back when its owner dies. Where the file system
/// knows no locks, or there is no such folder, nothing is held.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Descriptor folder_;
};

}  // namespace kino
