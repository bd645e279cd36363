// A key with its modifiers, as text ("Ctrl+Shift+P") and as what is pressed in the current frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/widgets/keys.hpp"

namespace kino {

/// Letters and digits are keys by their caps; punctuation is the character that was typed, on whichever key
/// and with whichever modifier the keyboard has it, so it never comes with Shift.
struct KeyChord {
  char character = 0;  ///< 0: `named` counts. Letters are upper case.
  NamedKey named{};
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const KeyChord&) const = default;
};

/// "Ctrl+Shift+P", "F3", "[", "PageUp", "Ctrl++": modifiers and names in any case. nullopt when it is no key.
std::optional<KeyChord> chord_from_text(std::string_view text);
/// What chord_from_text() reads.
std::string text_of(const KeyChord& chord);

/// Whether the chord was pressed in this frame with exactly its modifiers; with `repeat` also while the
/// keyboard repeats it. Between ImGui's NewFrame and Render.
bool chord_pressed(const KeyChord& chord, bool repeat);
/// Whether it is held. Shift is free where the chord does not name it: with held keys it means faster.
bool chord_held(const KeyChord& chord);
/// Whether a text field that has the keyboard leaves the chord to commands: Ctrl with a letter that edits
/// nothing, Alt with a letter, and function keys.
bool passes_text_fields(const KeyChord& chord);

}  // namespace kino
