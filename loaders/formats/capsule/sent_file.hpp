// A new file in the place of a person's, written at once and given its name when it is whole.
#pragma once

#include <filesystem>
#include <new>
#include <optional>
#include <utility>

#include "core/base/platform/new_file.hpp"
#include "core/base/result.hpp"

namespace kino {

struct SentFile {
  NewFile file;
  std::filesystem::path target;  ///< where links lead

  /// With the permissions of what it replaces, or of any new file. Fails for what is no regular file.
  static Result<SentFile> create(const std::filesystem::path& path);
  /// Gives it its name once it is on the disk.
  std::optional<Error> publish();
};

/// Writes one: `write(fd)` gives the report, or why there is none, and then there is no file either. Where
/// memory runs out, `no_memory` is the error's sentence.
template <class Report, class Write>
Result<Report> write_sent(const std::filesystem::path& out, const Write& write, const char* no_memory) {
  try {
    Result<SentFile> file = SentFile::create(out);
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
