// Line breaks between words. ImGui also breaks lines after periods and quotation marks inside words and numbers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kino {

/// Returns `text` with line breaks, so that no line is wider than `width`. `advance_of` returns the width of a
/// character. Breaks at spaces and between Chinese or Japanese characters, but not inside a number, nor
/// between a number and its unit. Only words wider than `width` are broken elsewhere, after punctuation if
/// possible. O(length).
std::string with_line_breaks(std::string_view text, float width,
                             const std::function<float(char32_t)>& advance_of);

/// Like the function above, for the current font.
std::string with_line_breaks(std::string_view text, float width);

}  // namespace kino
