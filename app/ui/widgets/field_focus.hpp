// Gives text fields the keyboard focus. Keys typed before a field receives them are held back, so that they
// are not lost.
#pragma once

namespace kino {

/// Gives keyboard focus to the next item, which must be a text field. It takes effect in the next frame. UI
/// thread only.
void focus_next_field();
/// Whether a field was given keyboard focus but does not receive all keys yet. Call between frames. False
/// after a few frames, in case the field is never drawn.
bool field_awaits_keys();

}  // namespace kino
