// `kinetoscope info` of many snapshots: who ran out of memory or is unlike the others, and where.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Many snapshots that were read, and what has to be said about it.
struct ReadSnapshots {
  SnapshotSet set;
  std::size_t files = 0;
  std::size_t broken = 0;
  std::vector<std::string> problems;  ///< a sentence each: broken files, what of them is lost
  bool incomplete = false;            ///< something could not be read
};

/// The snapshots among `contained`; what is none is left out.
ContainedTraces only_snapshots(ContainedTraces contained);

/// In parallel, as far as memory allows. The rules of categories are those of the settings.
ReadSnapshots read_snapshots(const OpenOptions& options, const ContainedTraces& contained);

/// One JSON object with a line feed: `snapshots`, those that stand out first. ASCII only.
std::string snapshot_set_json(const std::filesystem::path& path, const ReadSnapshots& read);
/// Some lines of aligned text, safe to print whatever files are called.
std::string snapshot_set_text(const std::filesystem::path& path, const ReadSnapshots& read);

}  // namespace kino
