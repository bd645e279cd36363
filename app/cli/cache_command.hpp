// `kinetoscope cache`: what is kept of the traces that were opened, and how to be rid of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/shell/settings/command_line.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

/// The table, ready to print: text from files is escaped. Ages are told from `now_ns` (Unix time).
std::string cache_text(const std::filesystem::path& folder, std::span<const CacheEntry> entries,
                       std::int64_t now_ns);

/// Prints to stdout, mistakes to stderr. Returns the exit code.
int run_cache_command(const CommandLine& command);

}  // namespace kino
