// Movement of a view by keys that are held.
#pragma once

#include "app/ui/view/navigation.hpp"

namespace kino {

/// Whether typed letters are commands of the view rather than text for a text field. UI thread only.
bool accepts_view_keys(bool keyboard);

/// Returns the held movement keys; none while a text field has keyboard focus.
HeldMovement held_keys(bool keyboard);

}  // namespace kino
