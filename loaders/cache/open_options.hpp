// The options and results of opening a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/library_frames.hpp"
#include "core/base/platform/file_stamp.hpp"
#include "core/job/flight/hang.hpp"
#include "core/memory/snapshot.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/bytes/spool.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/bytes/text_writer.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

struct ContainedTraces;
struct Format;

/// The description in a capsule.
struct CapsuleNotes {
  std::string title;           ///< name of the file from which the capsule was made
  std::string note;            ///< text shown after opening; empty: none
  std::uint64_t left_out = 0;  ///< number of events whose arguments were left out
  bool redacted = false;
  std::vector<std::uint64_t> replaced;  ///< numbers of distinct replaced frames, paths, file and host names
};

/// A trace and the details of its events.
struct OpenedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const EventDetails> details;
  std::shared_ptr<const TextSource> text;  ///< source of the trace; null if it has no text
  FileStamp stamp;                         ///< state of the file when it was opened
  LoadStats stats;                         ///< zero for a partial trace
  const Format* format = nullptr;          ///< null: from the cache, where all texts are JSON
  bool from_cache = false;
  SourceKey source;  ///< state before reading; if `path` is empty, the trace is not cached
  std::shared_ptr<const CapsuleNotes> capsule = {};  ///< null if the file is not a capsule
};

/// An allocator snapshot. Its model contains everything, so the text is kept only on request.
struct OpenedSnapshot {
  std::shared_ptr<const Snapshot> snapshot;
  FileStamp stamp;
  LoadStats stats;
  std::shared_ptr<TextSource> text = {};             ///< null without OpenOptions::keep_text
  std::shared_ptr<const CapsuleNotes> capsule = {};  ///< null if the file is not a capsule
};

/// The flight recorder dumps of a job that hung.
struct OpenedHang {
  std::shared_ptr<const HangRecording> hang;
  FileStamp stamp;
  LoadStats stats;
};

/// The result of opening a file.
using OpenedFile = std::variant<OpenedTrace, OpenedSnapshot, OpenedHang>;

inline const DamageLog& damage_of(const OpenedFile& file) {
  if (const auto* const hang = std::get_if<OpenedHang>(&file)) return hang->hang->damage;
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file)) return snapshot->snapshot->damage;
  return std::get<OpenedTrace>(file).trace->damage;
}

/// Times at which partial results are shown during loading. Each result takes a few percent of the load time.
struct PartialTiming {
  double first_seconds = 0.2;       ///< reading time before the first partial result
  double least_seconds_left = 0.7;  ///< no partial result if less time is expected to remain
  std::uint64_t first_bytes = std::uint64_t{128} << 20;  ///< maximum text of the first one; doubles each time
};

/// Use of the cache folder.
struct CacheOptions {
  bool look = true;  ///< use cached traces
  /// Called at the end of opening with a trace that is worth passing to store_opened(): complete, not cached
  /// yet, and slow to load. Empty: no trace is stored.
  std::function<void(const OpenedTrace&)> keep;
  CacheRejection refused;  ///< for a log; called by the opening thread, which then loads the trace
  std::uint64_t least_text_bytes = std::uint64_t{32} << 20;  ///< smaller texts are not stored
  CacheLimit limit;
};

struct OpenOptions {
  unsigned threads = 0;  ///< parse threads; 0: one per core
  /// Folder for spools and cached traces; empty: default_cache_directory().
  std::filesystem::path cache_directory;
  CacheOptions cache;
  std::size_t unit_bytes = 64 << 10;  ///< size of a parse unit, which fits in the L2 cache with its tables
  /// Called on another thread during loading, each time with more events. `part` has the first events;
  /// `share` is the fraction of the file (0 to below 1) that they cover. Not called after the opening
  /// function returns. Process names, and ends of spans and flows, are missing if they follow later in the
  /// file.
  std::function<void(OpenedTrace part, double share)> on_partial;
  PartialTiming partial;
  DecompressionLimit spool_limit;
  /// Receives the traces of an archive or folder if opening fails with Error::Kind::several_traces.
  ContainedTraces* choices = nullptr;
  bool keep_text = false;                       ///< whether snapshots keep their text
  LibraryList libraries = default_libraries();  ///< for Snapshot::libraries
  bool traces = true;                           ///< whether traces are opened
  bool snapshots = true;  ///< whether snapshots are opened; otherwise they are refused by their first bytes
  bool dumps = true;      ///< whether a folder with flight recorder dumps is opened as such
  /// Returns whether a file or folder may be opened; called from any thread. Empty: all may.
  std::function<bool(const std::filesystem::path&)> may_open = {};
};
/// Returns the folder for spools and cached traces; empty if there is none.
inline std::filesystem::path cache_folder(const OpenOptions& options) {
  return options.cache_directory.empty() ? default_cache_directory() : options.cache_directory;
}

}  // namespace kino
