// The summary of a trace that `kinetoscope info --json` prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// Returns one JSON object with a line feed, ASCII only, so that it is safe to print. Invalid UTF-8 becomes
/// replacement characters.
std::string info_json(const std::filesystem::path& path, const OpenedTrace& opened,
                      std::uint64_t peak_rss_bytes);

}  // namespace kino
