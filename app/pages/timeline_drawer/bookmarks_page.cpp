#include "app/pages/timeline_drawer/bookmarks_page.hpp"

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {

const char* BookmarksPage::title() const { return tr(Text::tab_bookmarks); }

std::string BookmarksPage::note() const {
  return bookmarks_.all().empty() ? std::string() : grouped(bookmarks_.all().size());
}

// Closed by its key, the drawer opens again for what is selected; so this is no command().
void BookmarksPage::handle_keys(bool shown) {
  if (!command_pressed(CommandId::list_bookmarks)) return;
  state_.drawer.show(id());
  state_.drawer.open = !shown;
}

void BookmarksPage::draw(ImVec2 size, const DrawerLook& look) {
  const BookmarkTable::Actions actions =
      table_.draw(*state_.trace, bookmarks_, flags_.current(), size, look.theme, look.scale);
  asks_.set_bookmark = actions.set;
  asks_.import_bookmarks = actions.import;
  asks_.save_note = actions.save;
  asks_.go_to_bookmark = actions.go_to;
}

}  // namespace kino
