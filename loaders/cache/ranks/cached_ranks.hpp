// Finds and stores digests of ranks, beside their traces or in the cache folder.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {

/// Returns the digest of the current state of a trace, from beside it or, if enabled, from the cache folder.
/// If the trace is missing, accepts any digest at its place. Reads the beginning and end of the trace. Throws
/// std::bad_alloc.
std::optional<CachedRank> find_cached_rank(const std::filesystem::path& trace, const OpenOptions& options);

/// Stores the digest in the cache folder, and removes older files if it is full.
std::optional<Error> store_rank(const OpenedTrace& opened, const CachedRank& rank,
                                const OpenOptions& options);

}  // namespace kino
