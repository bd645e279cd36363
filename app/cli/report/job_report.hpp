// The report of a job as one HTML page: stragglers, charts and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/named_jobs.hpp"

namespace kino {

/// Returns the page in UTF-8. Like report_page(), it loads nothing and runs no script. `name`, the title, is
/// the name of the folder or archive. `problems` are NamedJobs::problems.
std::string job_report(const NamedJob& job, std::string_view name, const std::vector<std::string>& problems);

}  // namespace kino
