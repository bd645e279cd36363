// How far the load of a file is, and how it went.
#pragma once

#include <atomic>
#include <cstdint>

namespace kino {

enum class LoadStage : std::uint8_t { waiting, reading, arranging, indexing, finished };

/// Written by the loader, read by anyone at any time.
struct LoadProgress {
  std::atomic<LoadStage> stage{LoadStage::waiting};
  std::atomic<std::uint64_t> file_bytes{0};       ///< size of the file on disk; 0: not known
  std::atomic<std::uint64_t> file_bytes_done{0};  ///< decompressed of it; 0 when it is plain
  std::atomic<bool> compressed{false};
  std::atomic<std::uint64_t> text_bytes{0};  ///< decompressed bytes parsed
  std::atomic<std::uint64_t> events{0};      ///< elements of the event array parsed
  /// Of a recording that is written as text first: how much of it was, from 0 to 1. Negative: it is none.
  std::atomic<double> transcribed{-1};
};
/// How much of the work of reading the file is done, from 0 to 1. To read a recording and to transcribe it
/// are half of it each.
double share_read(const LoadProgress& progress);

/// How the load went.
struct LoadStats {
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
  double seconds = 0;
  double parse_seconds = 0;
  double build_seconds = 0;
};

}  // namespace kino
