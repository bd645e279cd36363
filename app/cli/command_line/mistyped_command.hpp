// Recognizes a first argument that was meant as a command.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kino {

/// Returns how many characters must be inserted, deleted or replaced, or neighbors swapped, to turn `a` into
/// `b`. O(a.size() * b.size()).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns a sentence with the command of `names` that `word` is close to. Empty if `word` is an option or a
/// file, looks like the name of a file, or is not close to any command.
std::string mistyped_command(std::string_view word, std::span<const std::string_view> names);

}  // namespace kino
