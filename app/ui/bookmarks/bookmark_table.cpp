#include "app/ui/bookmarks/bookmark_table.hpp"

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/view/slice_style.hpp"

namespace kino {

std::string subject_text(const Trace& trace, const PlacedBookmark& placed) {
  if (!placed.mark.slice)
    return tr(placed.range.length_ns() > 0 ? Text::bookmarks_range : Text::bookmarks_point);
  std::string name = SliceStyle::short_text(placed.mark.slice->name);
  if (placed.found.slice == kNoSlice) return name;
  const Row& row = trace.row(trace.row_of(placed.found.slice));
  return name + " · " + name_text(trace, index_of(row.track));
}

const char* problem_text(const PlacedBookmark& placed) {
  if (placed.found.match == SliceMatch::nearest) return tr(Text::bookmarks_nearest);
  if (!placed.inside) return tr(Text::bookmarks_outside);
  return placed.found.match == SliceMatch::lost ? tr(Text::bookmarks_not_found) : nullptr;
}

Table bookmark_table(const Trace& trace, std::span<const PlacedBookmark> bookmarks) {
  Table table;
  table.name = "bookmarks";
  table.title = tr(Text::tab_bookmarks);
  table.integers_of(bookmarks, "number", tr(Text::bookmarks_column_number), Unit::id, msg::nothing,
                    [](const PlacedBookmark& placed) { return placed.mark.number; });
  table.texts_of(bookmarks, "note", tr(Text::bookmarks_column_note), msg::nothing,
                 [](const PlacedBookmark& placed) -> const std::string& { return placed.mark.text; });
  table.integers_of(bookmarks, "begin_ns", tr(Text::drawer_time), Unit::ns, msg::nothing,
                    [](const PlacedBookmark& placed) { return placed.range.begin_ns; });
  table.integers_of(bookmarks, "duration_ns", tr(Text::drawer_duration), Unit::ns, msg::nothing,
                    [](const PlacedBookmark& placed) {
                      return placed.range.length_ns() > 0 ? placed.range.length_ns() : kNoInteger;
                    });
  table.texts_of(bookmarks, "what", tr(Text::bookmarks_column_target), msg::nothing,
                 [&](const PlacedBookmark& placed) { return subject_text(trace, placed); });
  table.texts_of(bookmarks, "problem", tr(Text::bookmarks_column_problem), msg::nothing,
                 [](const PlacedBookmark& placed) -> std::string {
                   const char* const problem = problem_text(placed);
                   return problem != nullptr ? problem : "";
                 });
  table.columns.back().export_only = true;
  return table;
}

}  // namespace kino
