// Text in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kino {

/// Returns the number of terminal columns: one per character of UTF-8 text.
std::size_t columns_of(std::string_view text);
std::string padded_left(std::string text, std::size_t columns);
std::string padded_right(std::string text, std::size_t columns);
std::string fixed(double number, int decimals);

}  // namespace kino
