// The bookmarks of a file as a table: number, note, time, duration, subject, and problems.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/ui/bookmarks/bookmarks.hpp"
#include "core/tables/table.hpp"

namespace kino {

enum class BookmarkColumn : std::uint8_t { number, text, time, duration, what, problem };

/// One row per bookmark, in the given order. Titles and subjects are in the language of the window.
Table bookmark_table(const Trace& trace, std::span<const PlacedBookmark> bookmarks);
/// Returns a text such as "aten::mm · thread 4242 (python)".
std::string subject_text(const Trace& trace, const PlacedBookmark& placed);
/// Returns a text if the bookmark's position was not found exactly; null if it was.
const char* problem_text(const PlacedBookmark& placed);

}  // namespace kino
