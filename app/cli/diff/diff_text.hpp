// Formats a comparison as text for a terminal, Markdown for a pull request, or JUnit XML for CI.
#pragma once

#include <string>

#include "app/cli/diff/diff_report.hpp"

namespace kino {

/// Formats the comparison for a terminal. Names from files are escaped. If the runs are not comparable, the
/// text contains the reasons and no numbers.
std::string diff_text(const DiffReport& report);
/// Formats the comparison as Markdown. If the runs are comparable, the text is truncated to 60,000 bytes.
std::string diff_markdown(const DiffReport& report);
/// Formats the outcome as JUnit XML: one test case per condition; undecided conditions are skipped. If there
/// are no conditions, the only test case is whether the runs are comparable.
std::string diff_junit(const DiffReport& report);

}  // namespace kino
