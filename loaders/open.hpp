// Opens a file of any kind the product knows: sniffs the content, runs the right loader, reports progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>

#include "core/result.hpp"
#include "core/snapshot.hpp"
#include "core/trace.hpp"
#include "loaders/contained_traces.hpp"
#include "loaders/file_stamp.hpp"
#include "loaders/text_source.hpp"
#include "loaders/text_writer.hpp"
#include "loaders/trace_cache.hpp"

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
};
/// How much of the file has been read, from 0 to 1.
double share_read(const LoadProgress& progress);

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
  FileStamp stamp;  ///< of the file when it was opened
  LoadStats stats;  ///< zero for a part of the file
  bool from_cache = false;
  SourceKey source;  ///< of the file before it was read; without a path it cannot be kept
};

/// An allocator snapshot. Its text is not kept: the model has all of it.
struct OpenedSnapshot {
  std::shared_ptr<const Snapshot> snapshot;
  FileStamp stamp;
  LoadStats stats;
};

/// What a file turned out to be.
using OpenedFile = std::variant<OpenedTrace, OpenedSnapshot>;

/// When parts of a file are shown before it is read whole. Their cost is a few per cent of a load.
struct PartialTiming {
  double first_seconds = 0.2;       ///< of reading, before the first one
  double least_seconds_left = 0.7;  ///< none when it is expected to be over by then
  std::uint64_t first_bytes = std::uint64_t{128}
                              << 20;  ///< of text, at most in the first; then twice as much
};

/// What the traces in the cache folder are used for.
struct CacheUse {
  bool look = true;  ///< for a trace that was kept
  /// Gets, at the end of open_trace(), what is worth being given to keep_opened() afterwards: it was read
  /// whole, is not in the cache, and took a noticeable time. Empty: nothing is kept.
  std::function<void(const OpenedTrace&)> keep;
  CacheRefused refused;  ///< for a log, from the thread that opens; the trace is then read anew
  std::uint64_t least_text_bytes = std::uint64_t{32} << 20;  ///< less is read in no time
  CacheLimit limit;
};

struct OpenOptions {
  unsigned threads = 0;                   ///< parse threads; 0 = as many as the machine has
  std::filesystem::path cache_directory;  ///< for spools and kept traces; empty = $XDG_CACHE_HOME/kinetoscope
  CacheUse cache;
  std::size_t unit_bytes = 64 << 10;  ///< parse unit: with its tables it fits the second-level cache
  /// Called from another thread, while the load goes on, with the trace of the file's first events and the
  /// share of the file (0 to below 1) that holds them; each time with more. Never after open_trace() has
  /// returned. What stands only further on (names of processes, ends of spans and flows) is missing in it.
  std::function<void(OpenedTrace part, double share)> on_partial;
  PartialTiming partial;
  SpoolLimit spool_limit;
  /// Gets the traces of an archive or folder when opening fails with Error::Kind::several_traces.
  ContainedTraces* choices = nullptr;
  bool traces = true;     ///< whether a trace is opened, and
  bool snapshots = true;  ///< whether a snapshot is; else they are refused by their first bytes
};

/// Opens `path`: a file, a pipe, FILE#ENTRY in an archive, "-" for the standard input, or an archive or
/// folder with one trace or snapshot in it. Which of the two it is, its content decides. Blocks until done;
/// returns Error{cancelled} within 50 ms of a stop request.
Result<OpenedFile> open_file(const std::filesystem::path& path, const OpenOptions& options,
                             LoadProgress& progress, const std::stop_token& stop);

/// The same for a trace; a snapshot is Error::Kind::unknown_format, told from its first bytes.
Result<OpenedTrace> open_trace(const std::filesystem::path& path, const OpenOptions& options,
                               LoadProgress& progress, const std::stop_token& stop);

/// The same for a snapshot; a trace is refused.
Result<OpenedSnapshot> open_snapshot(const std::filesystem::path& path, const OpenOptions& options,
                                     LoadProgress& progress, const std::stop_token& stop);

/// Writes a trace to the cache that CacheUse::keep was given; see keep_in_cache().
std::optional<Error> keep_opened(const OpenedTrace& opened, const OpenOptions& options,
                                 const std::stop_token& stop);

}  // namespace kino
