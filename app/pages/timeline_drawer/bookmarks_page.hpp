// The drawer's page with the bookmarks of a file.
#pragma once

#include "app/pages/timeline_drawer/timeline_host.hpp"
#include "app/ui/bookmarks/bookmark_flags.hpp"
#include "app/ui/bookmarks/bookmark_table.hpp"
#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/drawer/drawer_page.hpp"

namespace kino {

class BookmarksPage final : public DrawerPage {
 public:
  /// `bookmarks` and `flags`, which tell the current one, outlive it.
  BookmarksPage(const TimelineHost& host, Bookmarks& bookmarks, const BookmarkFlags& flags)
      : state_(host.state), asks_(host.asks), bookmarks_(bookmarks), flags_(flags) {}

  std::string_view id() const override { return drawer_page::kBookmarks; }
  const char* title() const override;
  /// How many there are.
  std::string note() const override;
  void handle_keys(bool shown) override;
  void draw(ImVec2 size, const DrawerLook& look) override;

 private:
  TimelineState& state_;
  TimelineAsks& asks_;
  Bookmarks& bookmarks_;
  const BookmarkFlags& flags_;
  BookmarkTable table_;
};

}  // namespace kino
