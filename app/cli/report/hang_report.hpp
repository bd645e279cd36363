// The report of a hung job as one HTML page: stragglers, a matrix of ranks and groups, outstanding
// operations.
#pragma once

#include <string>
#include <string_view>

#include "core/job/flight/hang.hpp"

namespace kino {

/// Returns the page in UTF-8. Like report_page(), it loads nothing and runs no script. `name`, the title, is
/// the name of the folder or dump. The matrix has at most 512 ranks and 64 groups; stragglers, and groups
/// with stragglers, come first.
std::string hang_report(const HangRecording& hang, std::string_view name);

}  // namespace kino
