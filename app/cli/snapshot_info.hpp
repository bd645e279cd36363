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

/// Returns one JSON object with a line feed, ASCII only. For each device, `devices` has the entries, final
/// segments, the replay with its peak, memory live at the peak, the reserved curve, and problems.
std::string snapshot_info_json(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

/// Explanation of an out-of-memory error, as lines for the terminal and HTML pages.
struct AutopsyWords {
  std::string title;
  std::vector<std::string> lines;
  std::string to_set;  ///< shell command shown as the last line; may be empty
  /// (bytes, place that held them) as texts, largest first
  std::vector<std::pair<std::string, std::string>> places;
};
AutopsyWords autopsy_text(const Snapshot& snapshot, const OomAnalysis& autopsy);
/// Returns the allocator's settings during the run, on one line.
std::string settings_words(const Snapshot& snapshot);

/// Returns lines of aligned text; names from the file are escaped for printing.
std::string snapshot_info_text(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

}  // namespace kino
