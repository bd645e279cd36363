// At which commands menus show a mark while a timeline is the page: those that switch what it shows.
#pragma once

#include "app/ui/commands/command_list.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Whether what the command switches is on; false for commands that switch nothing. O(commands with a mark).
bool has_mark(const TimelineState& shown, CommandId command);

}  // namespace kino
