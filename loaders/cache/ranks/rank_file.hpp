// A RankDigest as a file beside its trace: written once where the trace lies, read by whoever opens the job.
//
// Layout: a head of numbers, little endian, then the members of the digest one after the other (see
// loaders/cache/member_bytes.hpp). Files are read by every build whose listing of members is the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/job/rank_digest.hpp"
#include "loaders/cache/trace_cache.hpp"

namespace kino {

/// What tells a state of a trace from others, wherever it is copied to.
struct RankSource {
  std::uint64_t size_bytes = 0;
  std::uint64_t hash = 0;  ///< of its beginning and end, as SourceKey's
  bool operator==(const RankSource&) const = default;
};

/// nullopt when the file cannot be read. Reads its beginning and end.
std::optional<RankSource> rank_source(const std::filesystem::path& trace);

/// What the head of a file says.
struct RankFileHead {
  RankSource source;
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
};

/// A rank as it was kept.
struct KeptRank {
  RankDigest digest = {};
  DamageLog damage = {};     ///< what of its trace could not be read
  std::uint64_t slices = 0;  ///< of its trace
};

/// The trace whose digest `file` is; `file` itself where it is none. The trace need not exist.
std::filesystem::path trace_of_rank_file(const std::filesystem::path& file);
/// Where the digest of `trace` is looked for.
std::filesystem::path rank_file_beside(const std::filesystem::path& trace);

/// Whole or not at all. `file` ends in kRankFileExtension.
std::optional<Error> write_rank_file(const std::filesystem::path& file, const RankSource& source,
                                     const KeptRank& rank);

/// nullopt for what is no such file, or one of another listing of members. Reads 80 bytes.
std::optional<RankFileHead> read_rank_file_head(const std::filesystem::path& file);

/// nullopt for what is no such file, whole and undamaged, that holds together. Throws std::bad_alloc; takes
/// memory of a few times the file's size at most.
std::optional<KeptRank> read_rank_file(const std::filesystem::path& file);

}  // namespace kino
