// At which commands menus show a mark while a snapshot is the page: those that switch what it shows.
#pragma once

#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/ui/commands/command_list.hpp"

namespace kino {

/// Whether what the command switches is on; false for commands that switch nothing. O(commands with a mark).
bool has_mark(const SnapshotPanel& panel, CommandId command);

}  // namespace kino
