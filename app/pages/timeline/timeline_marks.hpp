// Check marks of menu items while a timeline is shown.
#pragma once

#include "app/ui/commands/command_list.hpp"
#include "app/ui/view/timeline_state.hpp"

namespace kino {

/// Returns whether the view or setting that the command selects is on; false for commands without a check
/// mark.
bool has_mark(const TimelineState& shown, CommandId command);

}  // namespace kino
