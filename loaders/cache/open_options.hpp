// What an opening takes and gives.
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
#include "loaders/bytes/text_source.hpp"
#include "loaders/bytes/text_writer.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

struct ContainedTraces;
struct Format;

/// What a capsule says of itself.
struct CapsuleNotes {
  std::string title;           ///< the name of the file that it was made from
  std::string note;            ///< what to show first; empty for nothing
  std::uint64_t left_out = 0;  ///< events whose arguments were not packed
  bool redacted = false;
  std::vector<std::uint64_t> replaced;  ///< how many different frames, paths, files and hosts
};

/// A trace and what can be asked about its events.
struct OpenedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const EventDetails> details;
  std::shared_ptr<const TextSource> text;  ///< that it was made from; null when that is no text
  FileStamp stamp;                         ///< of the file when it was opened
  LoadStats stats;                         ///< zero for a part of the file
  const Format* format = nullptr;          ///< null: from the cache, which keeps traces of JSON alone
  bool from_cache = false;
  SourceKey source;  ///< of the file before it was read; without a path it cannot be kept
  std::shared_ptr<const CapsuleNotes> capsule = {};  ///< null for what is none
};

/// An allocator snapshot. Its text is not kept, unless it is asked for: the model has all of it.
struct OpenedSnapshot {
  std::shared_ptr<const Snapshot> snapshot;
  FileStamp stamp;
  LoadStats stats;
  std::shared_ptr<TextSource> text = {};             ///< null without OpenOptions::keep_text
  std::shared_ptr<const CapsuleNotes> capsule = {};  ///< null for what is none
};

/// What the flight recorders of a job wrote when it hung.
struct OpenedHang {
  std::shared_ptr<const HangRecording> hang;
  FileStamp stamp;
  LoadStats stats;
};

/// What a file turned out to be.
using OpenedFile = std::variant<OpenedTrace, OpenedSnapshot, OpenedHang>;

/// The damage of the trace, snapshot or dump.
inline const DamageLog& damage_of(const OpenedFile& file) {
  if (const auto* const hang = std::get_if<OpenedHang>(&file)) return hang->hang->damage;
  if (const auto* const snapshot = std::get_if<OpenedSnapshot>(&file)) return snapshot->snapshot->damage;
  return std::get<OpenedTrace>(file).trace->damage;
}

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
  bool keep_text = false;                       ///< with a snapshot, too
  LibraryList libraries = default_libraries();  ///< for Snapshot::libraries
  bool traces = true;                           ///< whether a trace is opened, and
  bool snapshots = true;  ///< whether a snapshot is; else they are refused by their first bytes
  bool dumps = true;      ///< whether a folder with dumps of flight recorders opens as those
};

}  // namespace kino
