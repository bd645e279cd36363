// The cache folder: models of traces that were opened before, with the text of those that needed a spool.
//
// One file per trace (see index_file.hpp), named by a hash of the trace's path. An unusable file (other
// source, other program, damage) is removed, and the trace is loaded normally. Files are published
// atomically; if two programs store the same trace, the last one remains. The modification time is the time
// of last use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/platform/file_stamp.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/bytes/text_source.hpp"
#include "loaders/cache/index_file.hpp"

namespace kino {

inline constexpr const char* kIndexExtension = ".kinoindex";
/// Extension of a rank's digest (loaders/cache/ranks/rank_file.hpp), stored in the same folder.
inline constexpr const char* kRankFileExtension = ".kinorank";

/// Maximum size of the folder. The least recently used files are removed first.
struct CacheLimit {
  std::uint64_t most_bytes = std::uint64_t{20} << 30;
  std::uint64_t least_free_parts = 4;  ///< the disk keeps this many times the folder's size free
};

/// Returns the key of `file`, open as `fd`, or of an entry in this archive. nullopt if it cannot be read.
/// Reads the beginning and the end.
std::optional<SourceKey> source_key(const std::filesystem::path& file, const std::string& entry, int fd,
                                    const FileStamp& stamp);

/// A trace read from the cache.
struct CachedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<TextSource> text;  ///< null: the text is read from the source, ...
  SeekPoints seek_points;            ///< ... and inflated from these points, if any
};

/// Receives one sentence why a cached trace is unusable, and the path of its source.
using CacheRejection = std::function<void(const std::string& why, const std::string& source)>;

/// Returns nullopt if there is no usable entry. Calls `refused` for an unusable one. Throws std::bad_alloc.
std::optional<CachedTrace> find_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                         unsigned threads, const std::stop_token& stop,
                                         const CacheRejection& refused = {});

/// Stores `trace`, whose arguments are in `text`, and removes older files for it. A spool is stored as well;
/// it must be on the folder's file system. Waits for the disk. On failure nothing is stored.
std::optional<Error> store_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const CacheLimit& limit,
                                    const std::stop_token& stop);

/// Reads FILE.kinoindex beside the trace. Compares only size and content, since the trace may have been
/// copied. Does not remove unusable files.
std::optional<CachedTrace> find_beside(const std::filesystem::path& file, const SourceKey& source,
                                       unsigned threads, const std::stop_token& stop);
/// Stores `trace` as `index`. Fails for a text in a spool, which would have to be stored as well and is many
/// times as large.
std::optional<Error> store_index_as(const std::filesystem::path& index, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const std::stop_token& stop);

/// Whether `index` was written by this program for this source. Reads only its end.
bool is_index_of(const std::filesystem::path& index, std::uint64_t size_bytes, std::uint64_t hash);

/// Returns the path of a cached file in the folder. `source_path` is SourceKey::path.
std::filesystem::path kept_place(const std::filesystem::path& folder, const std::string& source_path,
                                 const char* extension);
/// Removes the least recently used files until `new_bytes` fit, of which `written_bytes` already are on disk.
/// Returns false if they do not even fit alone.
bool make_room(const std::filesystem::path& folder, const CacheLimit& limit, std::uint64_t new_bytes,
               std::uint64_t written_bytes);

/// A file in the folder.
struct CacheEntry {
  std::filesystem::path file;
  std::string source;  ///< empty: damaged, or written by another build
  std::uint64_t size_bytes = 0;
  std::int64_t used_ns = 0;  ///< Unix time
};

/// Sorted by last use, most recent first.
std::vector<CacheEntry> cache_entries(const std::filesystem::path& folder);
/// Removes all files and returns those that could not be removed.
std::vector<std::filesystem::path> clear_cache(const std::filesystem::path& folder);

}  // namespace kino
