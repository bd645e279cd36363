// A comparison as text for a terminal, Markdown for a pull request, and JUnit's XML for a CI.
#pragma once

#include <string>

#include "app/cli/diff/diff_report.hpp"

namespace kino {

/// Names that come from files are escaped. Refused: what refuses, and no numbers.
std::string diff_text(const DiffReport& report);
/// At most 60,000 bytes.
std::string diff_markdown(const DiffReport& report);
/// A test case a condition; undecided ones are skipped. Without a condition the verdict is the only one.
std::string diff_junit(const DiffReport& report);

}  // namespace kino
