// A key with its modifiers, as text ("Ctrl+Shift+P") and as pressed in the current frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/widgets/keys.hpp"

namespace kino {

/// Letters and digits identify the key with this cap. Punctuation without Ctrl and Alt identifies the typed
/// character, on any key and with any modifier that the keyboard layout needs. Punctuation is therefore never
/// combined with Shift.
struct KeyChord {
  char character = 0;  ///< upper case for letters; 0: use `named`
  NamedKey named{};
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  bool operator==(const KeyChord&) const = default;
};

/// Parses "Ctrl+Shift+P", "F3", "[", "PageUp", "Ctrl++", ignoring case. nullopt if the text is not a chord.
std::optional<KeyChord> chord_from_text(std::string_view text);
/// The inverse of chord_from_text().
std::string text_of(const KeyChord& chord);

/// Whether the chord was pressed in this frame; `repeat` includes key repeat. The held modifiers must be
/// exactly those of the chord, except that Shift is ignored for punctuation. For punctuation without Ctrl and
/// Alt, all modifiers are ignored. Call between ImGui's NewFrame and Render.
bool chord_pressed(const KeyChord& chord, bool repeat);
/// Whether the chord is held. Shift is ignored unless the chord contains it: while a movement key is held,
/// Shift means faster.
bool chord_held(const KeyChord& chord);
/// Whether a modifier is held that the chord does not contain. Shift does not count, as for chord_held().
bool other_modifier_held(const KeyChord& chord);
/// Whether the chord's key is held, with any modifiers.
bool chord_key_down(const KeyChord& chord);
/// Whether commands receive the chord while a text field has keyboard focus: Ctrl with a character that does
/// not edit text, Alt with a letter or digit, and function keys.
bool passes_text_fields(const KeyChord& chord);

}  // namespace kino
