// The bookmarks of a file as a table: number, note, time, duration, subject, and problems.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/ui/bookmarks/bookmarks.hpp"
#include "core/tables/table.hpp"

namespace kino {

/// The columns of bookmark_table(), in their order.
enum class BookmarkColumn : std::uint8_t { number, text, time, duration, what, problem };

/// One row per bookmark, in their order. Titles and subjects are in the language of the window.
Table bookmark_table(const Trace& trace, std::span<const PlacedBookmark> bookmarks);
/// "aten::mm · thread 4242 (python)".
std::string subject_text(const Trace& trace, const PlacedBookmark& placed);
/// Says that the bookmark's place was not found exactly; null if it was.
const char* problem_text(const PlacedBookmark& placed);

}  // namespace kino
