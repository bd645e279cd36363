// The traces and snapshots in an archive or folder; see loaders/formats/contained_traces.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kino {

struct ContainedTrace {
  std::filesystem::path path;  ///< argument for open_file()
  std::string name;            ///< path within the archive or folder
  std::optional<std::uint64_t> size_bytes;
  std::int64_t rank = -1;        ///< rank in the header, otherwise in the name; -1: unknown
  std::int64_t world_size = -1;  ///< number of ranks of the job, in the header
  bool dump = false;             ///< flight recorder dump; listed only if there are no traces or snapshots
  bool report = false;           ///< unexported Nsight Systems report; listed if nothing else is found
  bool snapshot = false;         ///< allocator snapshot: the memory of a rank, not a rank itself
  std::int64_t begin_ns = -1;    ///< Unix time of an early event, from the start of the file; -1: unknown
};

struct ContainedTraces {
  std::vector<ContainedTrace> traces;  ///< sorted by name
  std::string left_out;                ///< one sentence about skipped links, encrypted files etc., or empty
  bool guessed = false;                ///< no file looks like a trace; all are other JSON files

  /// Maximum number of files to examine, so that opening a folder of a million files takes a bounded time.
  static constexpr std::size_t kMostFiles = 2000;
  static constexpr int kMostFolders = 2;  ///< maximum depth below the given folder
};

}  // namespace kino
