// Gives text fields the keyboard, so that keys typed before they have it are not lost.
#pragma once

namespace kino {

/// Gives the keyboard to the next item, a text field, from the next frame on. UI thread only.
void focus_next_field();
/// Call between frames: whether a field was given the keyboard but does not receive all keys yet. False after
/// a few frames, in case the field is never drawn.
bool field_awaits_keys();

}  // namespace kino
