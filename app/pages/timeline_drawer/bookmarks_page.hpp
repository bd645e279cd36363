// The drawer's page with the bookmarks of a file, whose notes can be edited in place.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/bookmarks/bookmark_flags.hpp"
#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/drawer/drawer_page.hpp"
#include "app/ui/tables/table_tab.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

class BookmarksPage final : public DrawerPage {
 public:
  /// `bookmarks` and `flags` must outlive the page. `flags` contains the current bookmark.
  BookmarksPage(const TimelineHost& host, Bookmarks& bookmarks, const BookmarkFlags& flags);

  std::string_view id() const override { return drawer_page::kBookmarks; }
  const char* title() const override { return tr(Text::tab_bookmarks); }
  std::string note() const override;
  bool copies_rows() const override { return true; }
  void handle_keys(bool shown) override;
  void update(bool shown) override;
  void draw(ImVec2 size, const DrawContext& look) override;
  bool wants_frames() const override { return tab_.wants_frames(); }
  bool complete() const override { return tab_.complete(); }
  void write_test_state(nlohmann::ordered_json& panel) const override;

 private:
  /// Changes of one frame, applied after all rows are drawn.
  struct Edits {
    std::uint64_t id = 0;  ///< id of the bookmark whose text changed; 0: none
    std::string text;
    std::uint64_t removed = 0;  ///< id of the bookmark to delete; 0: none
  };
  class RowCells;

  void draw_tools(const DrawContext& look);
  void draw_message(const DrawContext& look);

  TimelineState& state_;
  TimelineRequests& page_requests_;
  Bookmarks& bookmarks_;
  const BookmarkFlags& flags_;
  TableTab tab_;
  // bookmark generation and language for which the table was computed
  std::pair<std::uint64_t, int> computed_for_{~std::uint64_t{0}, -1};
  std::array<char, kMostNoteBytes + 1> text_{};
};

}  // namespace kino
