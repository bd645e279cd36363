// Keys that browsers keep for themselves, and the keys that replace them in a served window.
#pragma once

#include <optional>

#include "app/ui/commands/command_list.hpp"
#include "app/ui/commands/key_chord.hpp"

namespace kino {

/// Whether some browser performs its own action for the chord, such as closing its tab, and never passes it
/// to pages. Ctrl with a digit is passed, since pages can prevent the browser's action.
bool kept_by_browsers(const KeyChord& chord);

/// Returns the chord of the command in a served window; nullopt unless browsers keep all its default keys.
std::optional<KeyChord> browser_key(CommandId command);

}  // namespace kino
