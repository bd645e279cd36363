// Traces beside a trace that are likely to be runs of the same program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <vector>

namespace kino {

inline constexpr std::size_t kMostSimilarRuns = 3;

/// Returns the files of the folder whose names are most like that of `file`, the most similar first, at most
/// kMostSimilarRuns. Apart from compression, their extension is that of `file`. The common beginning and end
/// are at least half of the name of `file`. Looks at no more than 4,096 entries, and never opens a file.
/// Empty if the folder cannot be read.
std::vector<std::filesystem::path> similar_runs(const std::filesystem::path& file,
                                                const std::stop_token& stop = {});

}  // namespace kino
