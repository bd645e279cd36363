// Writes a ZIP archive.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/platform/new_file.hpp"
#include "core/base/result.hpp"

struct archive;

namespace kino {

/// The archive gets its name when it is complete. An incomplete archive is removed.
class ZipWriter {
 public:
  static Result<ZipWriter> create(const std::filesystem::path& path);

  /// Adds a file.
  std::optional<Error> add(const std::string& name, std::string_view content);
  /// Completes the archive. An existing file is replaced.
  std::optional<Error> finish();

 private:
  using Writer = std::unique_ptr<archive, int (*)(archive*)>;
  ZipWriter(std::string name, NewFile file, Writer writer);
  Error failure() const;

  std::string name_;
  NewFile file_;
  Writer writer_;
};

}  // namespace kino
