// Opens a file of any kind the product knows: sniffs the content, runs the right loader, reports progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "core/result.hpp"
#include "core/trace.hpp"
#include "loaders/text_source.hpp"

namespace kino {

enum class LoadStage : std::uint8_t { waiting, reading, arranging, indexing, finished };

/// "reading", "arranging tracks", ...: for people.
std::string_view text_of(LoadStage stage);

/// Written by the loader, read by anyone at any time.
struct LoadProgress {
  std::atomic<LoadStage> stage{LoadStage::waiting};
  std::atomic<std::uint64_t> file_bytes{0};       ///< size of the file on disk
  std::atomic<std::uint64_t> file_bytes_done{0};  ///< read of it
  std::atomic<std::uint64_t> text_bytes{0};       ///< decompressed bytes parsed
  std::atomic<std::uint64_t> events{0};           ///< elements of the event array parsed
};

struct OpenOptions {
  unsigned threads = 0;                   ///< parse threads; 0 = as many as the machine has
  std::filesystem::path cache_directory;  ///< for spools; empty = $XDG_CACHE_HOME/kinetoscope
  std::size_t unit_bytes = 64 << 10;      ///< parse unit: with its tables it fits the second-level cache
};

/// How the load went.
struct LoadStats {
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
  double seconds = 0;
  double parse_seconds = 0;
  double build_seconds = 0;
};

/// A trace and the text its arguments are read from.
struct OpenedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const TextSource> text;
  LoadStats stats;
};

/// Opens `path`. Blocks until done; returns Error{cancelled} within 50 ms of a stop request.
Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop);

}  // namespace kino
