// The report of a job that hung: who holds up the others, ranks by groups, what is outstanding, as one HTML
// page.
#pragma once

#include <string>
#include <string_view>

#include "core/job/flight/hang.hpp"

namespace kino {

/// The page, in UTF-8, as report_page(): it loads nothing and runs no script. `name` is how the folder or the
/// dump is called. The matrix has 512 ranks and 64 groups at most, those to blame first, and says so.
std::string hang_report(const HangRecording& hang, std::string_view name);

}  // namespace kino
