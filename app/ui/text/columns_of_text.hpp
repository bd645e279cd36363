// Text that stands in columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kino {

/// Characters that a terminal shows: continuation bytes of UTF-8 take no column.
std::size_t columns_of(std::string_view text);
std::string padded_left(std::string text, std::size_t columns);
std::string padded_right(std::string text, std::size_t columns);
std::string fixed(double number, int decimals);

}  // namespace kino
