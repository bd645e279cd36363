// The folder of traces that were opened before: their models, and the texts of those that were decompressed
// into a spool.
//
// One file a trace (see index_file.hpp), named by a hash of where the trace lies. Whatever is wrong with one
// (another source, another program, damage) it is removed, and the trace is loaded as if it had not been
// there. Files appear whole or not at all; two programs that keep the same trace at once replace each other's
// file. The times of change of the files tell which was used last.
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

/// How large the folder may grow. What was not used for the longest time goes first.
struct CacheLimit {
  std::uint64_t most_bytes = std::uint64_t{20} << 30;
  std::uint64_t least_free_parts = 4;  ///< the disk keeps free so many times what the folder takes
};

/// The key of the file behind `fd`, which is `file` on disk, and of an entry in it if it is an archive.
/// nullopt when it cannot be told. Reads its beginning and end.
std::optional<SourceKey> source_key(const std::filesystem::path& file, const std::string& entry, int fd,
                                    const FileStamp& stamp);

/// A trace as it was kept.
struct CachedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<TextSource> text;  ///< null: the text is read from the source itself, and is inflated ...
  SeekPoints seek_points;            ///< ... if these say so
};

/// Gets, in one sentence, why what was kept of a trace is of no use, and where the trace lies.
using CacheRefused = std::function<void(const std::string& why, const std::string& source)>;

/// nullopt when there is none, or none that can be used: of that, `refused` hears. Throws std::bad_alloc.
std::optional<CachedTrace> find_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                         unsigned threads, const std::stop_token& stop,
                                         const CacheRefused& refused = {});

/// Keeps `trace`, whose arguments are in `text`, and makes room for it. A text that is a spool is kept with
/// it; that works only for one that lies in the folder's file system. Waits for the disk; gives up soon after
/// a stop request. On failure nothing is kept.
std::optional<Error> keep_in_cache(const std::filesystem::path& folder, const SourceKey& source,
                                   const Trace& trace, const TextSource& text, const CacheLimit& limit,
                                   const std::stop_token& stop);

/// The same for a trace that was kept beside its file, as FILE.kinoindex, for whoever opens that next. Of the
/// source only size and content have to be the same, since it may have been copied; what is of no use stays.
std::optional<CachedTrace> find_beside(const std::filesystem::path& file, const SourceKey& source,
                                       unsigned threads, const std::stop_token& stop);
/// Keeps `trace` as `index`, unless its text was decompressed into a spool: that would be kept, too, and is
/// many times as large.
std::optional<Error> keep_as(const std::filesystem::path& index, const SourceKey& source, const Trace& trace,
                             const TextSource& text, const std::stop_token& stop);

/// Whether that is what `index` holds, for this program. Reads its end.
bool is_kept_as(const std::filesystem::path& index, std::uint64_t size_bytes, std::uint64_t hash);

/// Where what is kept of a source lies in the folder. `source_path` is SourceKey::path.
std::filesystem::path kept_place(const std::filesystem::path& folder, const std::string& source_path,
                                 const char* extension);
/// Removes what was not used for the longest time until `new_bytes` more fit, of which `written_bytes` are on
/// the disk already. False when they do not fit even alone.
bool make_room(const std::filesystem::path& folder, const CacheLimit& limit, std::uint64_t new_bytes,
               std::uint64_t written_bytes);

/// One file of the folder.
struct CacheEntry {
  std::filesystem::path file;
  std::string source;  ///< empty: written by another build of the program, or damaged
  std::uint64_t size_bytes = 0;
  std::int64_t used_ns = 0;  ///< Unix time
};

/// The last used first.
std::vector<CacheEntry> cache_entries(const std::filesystem::path& folder);
/// Removes them all; returns what could not be.
std::vector<std::filesystem::path> clear_cache(const std::filesystem::path& folder);

}  // namespace kino
