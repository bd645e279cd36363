// Text fields that are given the keyboard, so that what is typed before they have it waits for them.
#pragma once

namespace kino {

/// Gives the keyboard to the next item, a text field. It has it from the frame after this one on. UI thread
/// only, like the other.
void focus_next_field();
/// Between frames: whether a field was given the keyboard and does not hear all keys yet. Not for more than a
/// few frames, should the field never be drawn.
bool field_awaits_keys();

}  // namespace kino
