// `kinetoscope info` for a folder or archive with the ranks of a job: the stragglers and their causes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/named_jobs.hpp"

namespace kino {

/// Returns one JSON object with a line feed, ASCII only: `jobs`, and `job`, which is null unless there is only one.
std::string job_info_json(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems);
/// Returns lines of aligned text, safe to print whatever the file names are. Lists the ten ranks that caused
/// the most delay, or all ranks.
std::string job_info_text(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems, bool all_ranks = false);

}  // namespace kino
