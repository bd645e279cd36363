// The traces and snapshots that an archive or a folder contains; see loaders/formats/contained_traces.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kino {

struct ContainedTrace {
  std::filesystem::path path;  ///< what open_file() opens
  std::string name;            ///< within the archive or folder
  std::optional<std::uint64_t> size_bytes;
  std::int64_t rank = -1;        ///< of its job: by what its header says, else by its name; -1: neither tells
  std::int64_t world_size = -1;  ///< ranks of the job, by the header
  bool dump = false;             ///< of a flight recorder: only where there are no traces or snapshots
  bool report = false;           ///< of Nsight Systems, not exported: only where there is nothing else
  bool snapshot = false;         ///< of the allocator: no rank of a job by itself, but the memory of one
};

struct ContainedTraces {
  std::vector<ContainedTrace> traces;  ///< by name
  std::string left_out;                ///< one sentence about links, encrypted files and the like, or empty
  bool guessed = false;                ///< none looks like a trace: they are some JSON

  /// Files that are looked into, so that a folder of a million files answers.
  static constexpr std::size_t kMostFiles = 2000;
  static constexpr int kMostFolders = 2;  ///< below the one that is given
};

}  // namespace kino
