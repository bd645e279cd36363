// The drawer's tab with all bookmarks of a file as a table: number, note, time, duration, what.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <imgui.h>

#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

enum class BookmarkColumn : std::uint8_t { number, text, time, duration, what };

/// The indices of `bookmarks` in order; equal ones by number. O(n log n).
std::vector<std::uint32_t> ordered_bookmarks(std::span<const PlacedBookmark> bookmarks, BookmarkColumn column,
                                             bool ascending);

/// UI thread only.
class BookmarkTable {
 public:
  /// What a person asked for in one frame.
  struct Actions {
    std::uint64_t go_to = 0;  ///< an id, or 0
    bool set = false;
    bool import = false;
    bool save = false;  ///< a note with all of them
  };
  /// Draws into a child window of `size`; changes notes and deletes by itself.
  Actions draw(const Trace& trace, Bookmarks& bookmarks, std::uint64_t current, ImVec2 size,
               const Theme& theme, float ui_scale);

 private:
  void draw_tools(Bookmarks& bookmarks, const Theme& theme, float ui_scale, Actions& actions);
  void draw_table(const Trace& trace, Bookmarks& bookmarks, std::uint64_t current, const Theme& theme,
                  float ui_scale, Actions& actions);
  void draw_row(const Trace& trace, Bookmarks& bookmarks, const PlacedBookmark& placed, bool current,
                const Theme& theme, float ui_scale, Actions& actions);

  std::vector<std::uint32_t> rows_;
  std::uint64_t generation_ = ~std::uint64_t{0};  // of the bookmarks that rows_ were ordered for
  std::array<char, kMostNoteBytes + 1> text_{};
  std::uint64_t deleted_ = 0;
};

}  // namespace kino
