// Cells of comma-separated values (RFC 4180) that no spreadsheet evaluates as a formula, and exact numbers.
#pragma once

#include <string>
#include <string_view>

namespace kino {

/// Returns the text in quotes, with quotes inside it doubled. Line breaks and tabs remain; other control
/// characters are escaped as for a terminal. If a text starts with = + - @, a tab or a carriage return, an
/// apostrophe precedes it (OWASP, CSV injection), unless the text is a number.
std::string csv_cell(std::string_view text);

/// Returns the shortest decimal text that parses to exactly `number`. Empty if `number` is not finite.
std::string exact_digits(double number);

}  // namespace kino
