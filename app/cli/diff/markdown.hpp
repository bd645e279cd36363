// Markdown of the output of diff.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace kino {

/// Escapes text for a line of Markdown.
std::string markdown_text(std::string_view text);
/// Returns a row of a table, with a line break at its end. The cells are not escaped.
std::string markdown_row(std::initializer_list<std::string_view> cells);

}  // namespace kino
