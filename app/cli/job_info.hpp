// `kinetoscope info` of a folder or archive with the ranks of a job: who makes the others wait, and what is
// known of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/named_jobs.hpp"

namespace kino {

/// One JSON object with a line feed: `jobs`, and of a single one `job`. ASCII only.
std::string job_info_json(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems);
/// Some lines of aligned text, safe to print whatever files are called. Lists the ten ranks that cost the
/// others most, or all.
std::string job_info_text(const std::filesystem::path& path, const std::vector<NamedJob>& jobs,
                          const std::vector<std::string>& problems, bool all_ranks = false);

}  // namespace kino
