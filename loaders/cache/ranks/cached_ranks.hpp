// Finds and stores digests of ranks, beside their traces or in the cache folder.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {

/// Returns the digest for the current state of a trace, from the file beside it or, if enabled, from the
/// cache folder. If the trace is missing, any digest beside its path is accepted. Reads the first and last
/// bytes of the trace. Throws std::bad_alloc.
std::optional<CachedRank> find_cached_rank(const std::filesystem::path& trace, const OpenOptions& options);

/// Stores the digest in the cache folder. If the folder is full, removes older files.
std::optional<Error> store_rank(const OpenedTrace& opened, const CachedRank& rank,
                                const OpenOptions& options);

}  // namespace kino
