// A new file that replaces a user's file when it is complete.
#pragma once

#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "core/base/platform/new_file.hpp"
#include "core/base/result.hpp"

namespace kino {

struct OutputFile {
  NewFile file;
  std::filesystem::path target;  ///< after following links

  /// Creates the file with the permissions of the file it replaces, or with those of new files. Fails if
  /// `path` exists and is not a regular file.
  static Result<OutputFile> create(const std::filesystem::path& path);
  /// Flushes the file and publishes it.
  std::optional<Error> publish();
};

/// Writes a file with `write(fd)`, which returns the report or an error. On an error, no new file remains,
/// and an existing file is unchanged. `no_memory` is the message for std::bad_alloc.
template <class Report, class Write>
Result<Report> write_output_file(const std::filesystem::path& out, const Write& write,
                                 const char* no_memory) {
  try {
    Result<OutputFile> file = OutputFile::create(out);
    if (!file.ok()) return file.error();
    Result<Report> report = write(file->file.fd());
    if (!report.ok()) return report;
    if (auto error = file->publish()) return std::move(*error);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{Error::Kind::out_of_memory, no_memory};
  }
}

}  // namespace kino
