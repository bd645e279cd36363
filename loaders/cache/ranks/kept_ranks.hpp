// Digests of ranks that were made before: beside their traces, or in the folder of traces that were opened.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/cache/ranks/rank_file.hpp"

namespace kino {

/// Of the trace as it is now, beside it or, if the options say so, in the cache folder; or of a trace that is
/// not there, beside where it would be. Reads beginning and end of the trace. Throws std::bad_alloc.
std::optional<KeptRank> find_rank(const std::filesystem::path& trace, const OpenOptions& options);

/// Keeps it in the cache folder, and makes room for it.
std::optional<Error> keep_rank(const OpenedTrace& opened, const KeptRank& rank, const OpenOptions& options);

}  // namespace kino
