// `kinetoscope info` of an allocator snapshot, as text for people or as JSON for programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "loaders/open.hpp"

namespace kino {

/// One JSON object with a line feed, ASCII only. `devices` has the numbers of each device: its entries, its
/// segments at the end, the replay with its peak, what was live then, the reserved curve, and what is wrong.
std::string snapshot_info_json(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

/// Some lines of aligned text, safe to print whatever the file contains.
std::string snapshot_info_text(const std::filesystem::path& path, const OpenedSnapshot& opened,
                               std::uint64_t peak_rss_bytes);

}  // namespace kino
