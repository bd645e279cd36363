// Stores the RankDigest of a trace in a file beside it, so that a job opens before its traces are read.
//
// Layout: a little-endian header, then the members of the digest (see loaders/cache/member_bytes.hpp). Any
// build with the same members, versions and message catalog can read the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/job/rank_digest.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

/// Identifies one state of a trace, even after the file was copied.
struct RankSource {
  std::uint64_t size_bytes = 0;
  std::uint64_t hash = 0;  ///< as in SourceKey
  bool operator==(const RankSource&) const = default;
};

/// Returns the state of a trace; nullopt if the file cannot be read. Reads its first and last bytes.
std::optional<RankSource> rank_source(const std::filesystem::path& trace);

/// The header of a rank file.
struct RankFileHead {
  RankSource source;
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
};

/// The content of a rank file.
struct CachedRank {
  RankDigest digest = {};
  DamageLog damage = {};     ///< damage of the trace
  std::uint64_t slices = 0;  ///< number of slices in the trace
};

/// Returns the path of the trace to which the digest `file` belongs, or `file` itself if it is not a digest.
/// The trace need not exist.
std::filesystem::path trace_of_rank_file(const std::filesystem::path& file);
/// Returns the path of the digest beside `trace`.
std::filesystem::path rank_file_beside(const std::filesystem::path& trace);

/// Writes a digest; `file` appears when it is complete. Its name must end in kRankFileExtension.
std::optional<Error> write_rank_file(const std::filesystem::path& file, const RankSource& source,
                                     const CachedRank& rank);

/// Reads the first 80 bytes. Returns nullopt for other files, and for files that this build cannot read.
std::optional<RankFileHead> read_rank_file_head(const std::filesystem::path& file);

/// Reads a digest; nullopt if the file is damaged or inconsistent. Throws std::bad_alloc. Memory is bounded
/// by a few times the file's size.
std::optional<CachedRank> read_rank_file(const std::filesystem::path& file);

}  // namespace kino
