// The cache folder: models of traces that were opened before. If a trace needed a spool, its text is stored.
//
// The folder contains one index per trace (see index_file.hpp) and one digest per rank of a job (see
// ranks/rank_file.hpp), named by a hash of the trace's path. An unusable index (changed source, other build,
// damage) is removed, and the trace is loaded normally. Files get their names when they are complete; if two
// programs store a trace, the file of the last one remains. An index has the time of its last use as its
// modification time.
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
/// Extension of the digest of a rank (loaders/cache/ranks/rank_file.hpp), in the cache folder or beside the
/// trace.
inline constexpr const char* kRankFileExtension = ".kinorank";

/// Limits of the folder's size. The least recently used files are removed first.
struct CacheLimit {
  std::uint64_t most_bytes = std::uint64_t{20} << 30;
  std::uint64_t least_free_parts = 4;  ///< free disk space is at least this multiple of the folder's size
};

/// Returns the key of `file`, which is open as `fd`, or of an entry in this archive. nullopt if it cannot be
/// read. Reads the first and last bytes.
std::optional<SourceKey> source_key(const std::filesystem::path& file, const std::string& entry, int fd,
                                    const FileStamp& stamp);

/// A trace read from the cache.
struct CachedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<TextSource> text;  ///< null: the text is read from the source
  SeekPoints seek_points;            ///< for a gzip source: where inflating can start
};

/// Receives one sentence that explains why a cached trace is unusable, and the path of the trace's source.
using CacheRejection = std::function<void(const std::string& why, const std::string& source)>;

/// Returns the cached trace; nullopt if no usable one exists. Calls `refused` if the entry is unusable.
/// Throws std::bad_alloc.
std::optional<CachedTrace> find_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                         unsigned threads, const std::stop_token& stop,
                                         const CacheRejection& refused = {});

/// Stores `trace`, whose arguments are in `text`, and removes an older index of the trace. A spool is also
/// stored; it must be on the folder's file system. Waits for the disk. On failure nothing is stored.
std::optional<Error> store_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const CacheLimit& limit,
                                    const std::stop_token& stop);

/// Reads FILE.kinoindex beside the trace. Compares only the size and the hash of the source, since the trace
/// may have been copied. Does not remove an unusable index.
std::optional<CachedTrace> find_beside(const std::filesystem::path& file, const SourceKey& source,
                                       unsigned threads, const std::stop_token& stop);
/// Stores `trace` in the file `index`. Fails for a text in a spool: the text would also have to be stored,
/// and is many times as large.
std::optional<Error> store_index_as(const std::filesystem::path& index, const SourceKey& source,
                                    const Trace& trace, const TextSource& text, const std::stop_token& stop);

/// Returns whether this build of the program wrote `index` for a source with this size and hash. Reads only
/// the end of the file.
bool is_index_of(const std::filesystem::path& index, std::uint64_t size_bytes, std::uint64_t hash);

/// Returns the path of a cached file in the folder. `source_path` is SourceKey::path.
std::filesystem::path cached_path(const std::filesystem::path& folder, const std::string& source_path,
                                  const char* extension);
/// Makes room for a file of `new_bytes`, of which `written_bytes` already are on disk: removes the least
/// recently used files. Returns false if the file alone exceeds the limit, or the disk cannot be queried.
bool make_room(const std::filesystem::path& folder, const CacheLimit& limit, std::uint64_t new_bytes,
               std::uint64_t written_bytes);

/// A file in the folder.
struct CacheEntry {
  std::filesystem::path file;
  std::string source;  ///< path of the trace, from its index; empty: there is no usable index
  std::uint64_t size_bytes = 0;
  std::int64_t used_ns = 0;  ///< Unix time
};

/// Returns the indexes and digests in the folder, most recently used first.
std::vector<CacheEntry> cache_entries(const std::filesystem::path& folder);
/// Removes all indexes and digests, and returns those that could not be removed.
std::vector<std::filesystem::path> clear_cache(const std::filesystem::path& folder);

}  // namespace kino
