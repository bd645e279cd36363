// The bookmarks of a file as a table: number, note, time, duration, subject, and problems.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/ui/bookmarks/bookmarks.hpp"
#include "core/tables/table.hpp"

namespace kino {

enum class BookmarkColumn : std::uint8_t { number, text, time, duration, what, problem };

/// Returns a table with one row per bookmark, in the given order. Titles and subjects are in the language of
/// the window.
Table bookmark_table(const Trace& trace, std::span<const PlacedBookmark> bookmarks);
/// Returns a text such as "aten::mm · thread 4242 (python)".
std::string subject_text(const Trace& trace, const PlacedBookmark& placed);
/// Returns the problem of a bookmark's position as a text: its slice was not found exactly, or it is outside
/// of the trace. Null if there is no problem.
const char* problem_text(const PlacedBookmark& placed);

}  // namespace kino
