#include "app/pages/timeline_drawer/event_page.hpp"

#include "app/ui/text/texts.hpp"

namespace kino {

const char* EventPage::title() const { return tr(Text::tab_selection); }

void EventPage::draw(ImVec2 size, const DrawerLook& look) {
  const EventRef clicked = details_.draw(state_.selection, size, look.theme, look.scale);
  if (clicked.any()) state_.choose(clicked, true);
}

}  // namespace kino
