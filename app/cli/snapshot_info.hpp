// `kinetoscope info` of an allocator snapshot, as text for people or as JSON for programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/tables/oom_autopsy.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// One JSON object with a line feed, ASCII only. `devices` has the numbers of each device: its entries, its
/// segments at the end, the replay with its peak, what was live then, the reserved curve, and what is wrong.
std::string snapshot_info_json(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

/// Why an out-of-memory error happened, in lines for terminals and pages.
struct AutopsyWords {
  std::string title;
  std::vector<std::string> lines;
  std::string to_set;                                       ///< for a shell, of the last line; may be empty
  std::vector<std::pair<std::string, std::string>> places;  ///< bytes and what held them, most first
};
AutopsyWords autopsy_words(const Snapshot& snapshot, const OomAutopsy& autopsy);
/// What the allocator was set to in the run, in a line.
std::string settings_words(const Snapshot& snapshot);

/// Some lines of aligned text, safe to print whatever the file contains.
std::string snapshot_info_text(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

}  // namespace kino
