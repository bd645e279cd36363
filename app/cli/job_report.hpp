// The report of a job of many ranks: who makes the others wait, charts and tables as one HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/named_jobs.hpp"

namespace kino {

/// The page, in UTF-8, as report_page(): it loads nothing and runs no script. `name` is how the folder or
/// archive is called; `problems` are NamedJobs::problems.
std::string job_report(const NamedJob& job, std::string_view name, const std::vector<std::string>& problems);

}  // namespace kino
