#include "app/pages/snapshot_drawer/allocation_page.hpp"

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

const char* AllocationPage::title() const { return tr(Text::tab_selection); }

void AllocationPage::handle_keys(bool) {
  if (command_pressed(CommandId::open_source)) details_.open_source(state());
}

void AllocationPage::draw_content(const DrawerLook& look) {
  const AllocationId selected = state().selected;
  const std::uint32_t color = selected == kNoAllocation ? 0 : colors().of(selected, look.theme);
  details_.draw(state(), colors().told(), color, look.theme);
}

}  // namespace kino
