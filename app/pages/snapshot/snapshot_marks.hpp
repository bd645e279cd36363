// Check marks of menu items while a snapshot is shown.
#pragma once

#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/ui/commands/command_list.hpp"

namespace kino {

/// Returns whether the view or setting that the command selects is on; false for commands without a check
/// mark.
bool has_mark(const SnapshotPanel& panel, CommandId command);

}  // namespace kino
