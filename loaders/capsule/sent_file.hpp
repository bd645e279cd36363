// A new file in the place of a person's, written at once and given its name when it is whole.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "core/platform/new_file.hpp"

namespace kino {

struct SentFile {
  NewFile file;
  std::filesystem::path target;  ///< where links lead

  /// With the permissions of what it replaces, or of any new file. Fails for what is no regular file.
  static Result<SentFile> create(const std::filesystem::path& path);
  /// Gives it its name once it is on the disk.
  std::optional<Error> publish();
};

}  // namespace kino
