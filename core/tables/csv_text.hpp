// Cells of comma-separated values as RFC 4180 asks, which no spreadsheet takes for a formula.
#pragma once

#include <string>
#include <string_view>

namespace kino {

/// A text in quotes, its own doubled; line breaks and tabs stay. Other characters that steer a terminal are
/// escaped as for one. A text that a spreadsheet would run, for it begins with = + - @, a tab or a carriage
/// return, gets an apostrophe before it (OWASP, CSV injection), unless it is a plain number.
std::string csv_cell(std::string_view text);

/// The shortest digits that read back as the same number; empty for what is no finite number.
std::string exact_digits(double number);

}  // namespace kino
