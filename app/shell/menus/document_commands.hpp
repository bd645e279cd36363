// Commands of the active document: its other pages, its loading, and the tabs.
#pragma once

#include "app/shell/documents/session.hpp"
#include "app/ui/commands/commands.hpp"

namespace kino {

/// Binds the commands. `session` must outlive `commands`. UI thread only.
void bind_document_commands(Commands& commands, Session& session);

}  // namespace kino
