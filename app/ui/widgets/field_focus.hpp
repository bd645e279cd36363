// Gives text fields the keyboard. Keys typed before a field receives them are held back, so that they are not
// lost.
#pragma once

namespace kino {

/// Gives the keyboard to the next item, a text field, from the next frame on. UI thread only.
void focus_next_field();
/// Whether a field was given the keyboard but does not receive all keys yet. Call between frames. False after
/// a few frames, in case the field is never drawn.
bool field_awaits_keys();

}  // namespace kino
