// Opens a file or a folder for a command that accepts traces, snapshots, jobs and hung jobs alike.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/named_jobs.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// The largest job of a folder, as read_jobs() groups it.
struct OpenedJob {
  NamedJob job;
  std::size_t other_jobs = 0;         ///< number of smaller jobs in the folder
  std::vector<std::string> problems;  ///< see NamedJobs
};

struct OpenedRun {
  std::filesystem::path path;
  std::variant<OpenedTrace, OpenedSnapshot, OpenedHang, OpenedJob> content;

  /// Returns the content of this type, or null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  /// Returns the damage of the file. Empty for a job: OpenedJob::problems contains the damage of its files.
  const DamageLog& damage() const;
};

/// Opens a file, or the job or dumps of a folder. The error of a folder with several unrelated recordings
/// names them. O(bytes).
Result<OpenedRun> open_run(const std::filesystem::path& path, OpenOptions options);

}  // namespace kino
