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
  std::string name;            ///< within the archive or folder
  std::optional<std::uint64_t> size_bytes;
  std::int64_t rank = -1;        ///< from the header, else from the name; -1: unknown
  std::int64_t world_size = -1;  ///< ranks of the job, from the header
  bool dump = false;             ///< flight recorder dump; listed only without traces and snapshots
  bool report = false;           ///< unexported Nsight Systems report; listed only without other files
  bool snapshot = false;         ///< allocator snapshot: the memory of a rank, not a rank itself
};

struct ContainedTraces {
  std::vector<ContainedTrace> traces;  ///< sorted by name
  std::string left_out;                ///< one sentence about skipped links, encrypted files etc., or empty
  bool guessed = false;                ///< no file looks like a trace; all are other JSON

  /// Maximum number of examined files, so that a folder of a million files returns quickly.
  static constexpr std::size_t kMostFiles = 2000;
  static constexpr int kMostFolders = 2;  ///< depth below the given folder
};

}  // namespace kino
