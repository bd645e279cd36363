// `kinetoscope info` for several snapshots: shows which of the snapshots recorded an out-of-memory error,
// which differ from the others, and where.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// The snapshots that were read, and the problems found.
struct ReadSnapshots {
  SnapshotSet set;
  std::size_t files = 0;
  std::size_t broken = 0;
  std::vector<std::string> problems;  ///< on unreadable files, lost data, and devices and files left out
  bool incomplete = false;            ///< part of the input could not be read
};

/// Returns `contained` without the files that are not snapshots.
ContainedTraces only_snapshots(ContainedTraces contained);

/// Reads the files of `contained`, which are all snapshots, in parallel as memory allows. The category rules
/// are those in the settings.
ReadSnapshots read_snapshots(const OpenOptions& options, const ContainedTraces& contained);

/// Returns one JSON object with a line feed, ASCII only. Its `snapshots` are in the order of
/// SnapshotSet::order.
std::string snapshot_set_json(const std::filesystem::path& path, const ReadSnapshots& read);
/// Returns lines of aligned text; file names are escaped for printing.
std::string snapshot_set_text(const std::filesystem::path& path, const ReadSnapshots& read);

}  // namespace kino
