// The known name that is closest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kino {

/// Returns the edit distance: the number of characters to insert, delete or replace, or of neighbors to swap,
/// that turns `a` into `b`. O(a.size() * b.size()).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Considers the names whose edit distance to `word` is at most a third of their length, rounded. Returns the
/// nearest of them, the first one of several; empty if there is none, or if `word` has over 100 bytes.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace kino
