// Packs several capsules into one tar archive, which opens like a folder of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// Collects capsules in separate files beside the archive; finish() copies them into the archive. The
/// destructor removes the separate files.
class CapsuleBundle {
 public:
  explicit CapsuleBundle(std::filesystem::path out) : out_(std::move(out)) {}
  CapsuleBundle(const CapsuleBundle&) = delete;
  CapsuleBundle& operator=(const CapsuleBundle&) = delete;
  ~CapsuleBundle();

  /// Returns the path for the next capsule. In the archive, the capsule is named like `file_name` with known
  /// extensions replaced by ".kino", and with a number if that name is taken.
  std::filesystem::path next(const std::string& file_name);
  /// Writes the archive atomically and returns its size.
  Result<std::uint64_t> finish();

 private:
  struct Entry {
    std::string name;
    std::filesystem::path file;
  };
  std::filesystem::path out_;
  std::vector<Entry> entries_;
};

}  // namespace kino
