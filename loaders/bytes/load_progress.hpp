// Progress and statistics of loading a file.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace kino {

enum class LoadStage : std::uint8_t { waiting, reading, arranging, indexing, finished };

/// Progress counters, written by the loader and readable from any thread.
struct LoadProgress {
  std::atomic<LoadStage> stage{LoadStage::waiting};
  std::atomic<std::uint64_t> file_bytes{0};       ///< size on disk; 0: unknown
  std::atomic<std::uint64_t> file_bytes_done{0};  ///< compressed bytes read so far; 0 for plain files
  std::atomic<bool> compressed{false};
  std::atomic<std::uint64_t> text_bytes{0};  ///< decompressed bytes parsed
  std::atomic<std::uint64_t> events{0};      ///< elements of the event array parsed so far
  /// Fraction of a recording that was converted to JSON text, from 0 to 1; negative if none is converted.
  std::atomic<double> transcribed{-1};
};
/// Returns the fraction of the input that was read, from 0 to 1. If a recording is converted, returns the
/// mean of the fractions read and converted.
inline double fraction_read(const LoadProgress& progress) {
  const auto file = static_cast<double>(progress.file_bytes.load());
  const auto done =
      static_cast<double>(progress.compressed ? progress.file_bytes_done.load() : progress.text_bytes.load());
  const double read = file > 0 ? std::clamp(done / file, 0.0, 1.0) : 0.0;
  const double transcribed = progress.transcribed;
  return transcribed < 0 ? read : (read + transcribed) / 2;
}

struct LoadStats {
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;
  double seconds = 0;
  double parse_seconds = 0;
  double build_seconds = 0;
};

}  // namespace kino
