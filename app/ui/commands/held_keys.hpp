// What the keys that are held down ask of a view.
#pragma once

#include "app/ui/view/navigation.hpp"

namespace kino {

/// Whether letters are for the view, not for a text field or a command with a modifier. UI thread only.
bool keys_are_ours(bool keyboard);

/// Which movement keys are held; nothing while a text field or a modifier other than Shift has the keys.
HeldMovement held_keys(bool keyboard);

}  // namespace kino
