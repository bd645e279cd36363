// `kinetoscope info` for an allocator snapshot, as text or as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/tables/oom_analysis.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Returns one JSON object with a line feed, ASCII only. `devices` describes each device: entries, final
/// segments, requested and reserved memory with their peaks, memory live at the peak, out-of-memory errors,
/// and problems.
std::string snapshot_info_json(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

/// Explanation of an out-of-memory error, as lines for the terminal and HTML pages.
struct AutopsyWords {
  std::string title;
  std::vector<std::string> lines;
  std::string to_set;  ///< shell command shown after `lines`; empty if no command would help
  /// (bytes, place) pairs as texts: the places that held the most memory, largest first
  std::vector<std::pair<std::string, std::string>> places;
};
AutopsyWords autopsy_text(const Snapshot& snapshot, const OomAnalysis& autopsy);
/// Returns the allocator's settings during the run, on one line.
std::string settings_words(const Snapshot& snapshot);

/// Returns lines of aligned text; names from the file are escaped for printing.
std::string snapshot_info_text(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

}  // namespace kino
