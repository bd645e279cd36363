// Several capsules as one file: a tar archive, which opens as the folder of them would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

/// The capsules lie beside the archive until it is finished, and are gone with this. One thread.
class CapsuleBundle {
 public:
  explicit CapsuleBundle(std::filesystem::path out) : out_(std::move(out)) {}
  CapsuleBundle(const CapsuleBundle&) = delete;
  CapsuleBundle& operator=(const CapsuleBundle&) = delete;
  ~CapsuleBundle();

  /// Where to write the next one. In the archive it is called as the file, with another ending, and with a
  /// number when there is one of that name.
  std::filesystem::path next(const std::string& file_name);
  /// Writes the archive, whole or not at all. Returns its size.
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
