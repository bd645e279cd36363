// Recognizes a first argument that is a mistyped command.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Returns the edit distance: the number of characters to insert, delete or replace, or of neighbors to swap,
/// that turns `a` into `b`. O(a.size() * b.size()).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns a sentence that suggests the command of `names` closest to `word`. Empty if `word` is an option or
/// a file, looks like a file name, or is not close to any command.
std::string mistyped_command(std::string_view word, std::span<const std::string_view> names);

}  // namespace kino
