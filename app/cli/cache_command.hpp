// `kinetoscope cache`: lists or removes the cached traces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "app/cli/command_line/command.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

/// Returns the table of cached traces, ready to print: text from files is escaped. Ages are relative to
/// `now_ns` (Unix time).
std::string cache_text(const std::filesystem::path& folder, std::span<const CacheEntry> entries,
                       std::int64_t now_ns);

struct CacheCommand : Command {
  static constexpr CommandText kText{.name = "cache",
                                     .synopsis = "[--clear]",
                                     .about = "List or remove cached traces",
                                     .description = "Lists the traces in the cache."};

  bool clear = false;  ///< remove the cached traces instead of listing them

  void declare(CLI::App& app) override;
  int run() const override;
};

}  // namespace kino
