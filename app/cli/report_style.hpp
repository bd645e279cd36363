// The style sheet of reports: assets/report/report.css, as it was when the program was built.
#pragma once

#include <string_view>

namespace kino {

std::string_view report_style();

}  // namespace kino
