// The summary of a trace that `kinetoscope info --json` prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "loaders/cache/open_options.hpp"

namespace kino {

/// One JSON object with a line feed. ASCII only, so it is safe to print; text that is not UTF-8 gets
/// replacement characters.
std::string info_json(const std::filesystem::path& path, const OpenedTrace& opened,
                      std::uint64_t peak_rss_bytes);

}  // namespace kino
