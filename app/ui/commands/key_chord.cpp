#include "app/ui/commands/key_chord.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <imgui.h>

#include "core/base/ascii.hpp"

namespace kino {
namespace {

// In the order of NamedKey. "Escape" and "Return" are accepted as well.
constexpr std::array<std::string_view, 27> kNames = {
    "F1",    "F2",        "F3",     "F4",     "F5",       "F6",   "F7",   "F8",   "F9",
    "F10",   "F11",       "F12",    "PageUp", "PageDown", "Home", "End",  "Tab",  "Esc",
    "Enter", "Backspace", "Delete", "Insert", "Space",    "Up",   "Down", "Left", "Right"};
static_assert(static_cast<std::size_t>(NamedKey::right) + 1 == kNames.size());

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

// Sets the key of the chord; returns false if the text does not name a key.
bool set_key(KeyChord& chord, std::string_view text) {
  if (text.size() == 1 && (is_letter_or_digit(text[0]) || is_punctuation(text[0]))) {
    chord.character = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return true;
  }
  if (same_ignoring_case(text, "Escape")) text = "Esc";
  if (same_ignoring_case(text, "Return")) text = "Enter";
  const auto found =
      std::ranges::find_if(kNames, [&](std::string_view name) { return same_ignoring_case(name, text); });
  if (found == kNames.end()) return false;
  chord.named = static_cast<NamedKey>(found - kNames.begin());
  return true;
}

bool typed(char character) {
  const ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
  return std::find(queue.begin(), queue.end(), static_cast<ImWchar>(character)) != queue.end();
}

}  // namespace

std::optional<KeyChord> chord_from_text(std::string_view text) {
  KeyChord chord;
  // The last '+' may be the key itself.
  for (std::size_t plus = text.find('+'); plus != std::string_view::npos && plus > 0; plus = text.find('+')) {
    const std::string_view modifier = text.substr(0, plus);
    bool* flag = same_ignoring_case(modifier, "Ctrl") || same_ignoring_case(modifier, "Control") ? &chord.ctrl
                 : same_ignoring_case(modifier, "Shift") ? &chord.shift
                 : same_ignoring_case(modifier, "Alt")   ? &chord.alt
                                                         : nullptr;
    if (flag == nullptr || std::exchange(*flag, true)) return std::nullopt;
    text.remove_prefix(plus + 1);
  }
  if (!set_key(chord, text)) return std::nullopt;
  if (chord.shift && is_punctuation(chord.character)) return std::nullopt;
  return chord;
}

std::string text_of(const KeyChord& chord) {
  std::string text;
  if (chord.ctrl) text += "Ctrl+";
  if (chord.shift) text += "Shift+";
  if (chord.alt) text += "Alt+";
  if (chord.character != 0) {
    text += chord.character;
  } else {
    text += kNames[static_cast<std::size_t>(chord.named)];
  }
  return text;
}

bool chord_pressed(const KeyChord& chord, bool repeat) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool punctuation = is_punctuation(chord.character);
  // Compare with the typed character. Which other modifiers it needs depends on the keyboard layout.
  if (punctuation && !chord.ctrl && !chord.alt) return typed(chord.character);
  if (io.KeySuper || io.KeyCtrl != chord.ctrl || io.KeyAlt != chord.alt) return false;
  if (!punctuation && io.KeyShift != chord.shift) return false;
  return chord.character != 0 ? key_pressed(chord.character, repeat) : key_pressed(chord.named, repeat);
}

bool other_modifier_held(const KeyChord& chord) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeySuper || (io.KeyCtrl && !chord.ctrl) || (io.KeyAlt && !chord.alt);
}

bool chord_key_down(const KeyChord& chord) {
  return chord.character != 0 ? key_down(chord.character) : key_down(chord.named);
}

bool chord_held(const KeyChord& chord) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeySuper || io.KeyCtrl != chord.ctrl || io.KeyAlt != chord.alt) return false;
  if (chord.shift && !io.KeyShift) return false;
  return chord_key_down(chord);
}

bool passes_text_fields(const KeyChord& chord) {
  constexpr std::string_view kEditing = "ACVXYZ";
  if (chord.character == 0) return chord.named <= NamedKey::f12;
  if (chord.alt && !chord.ctrl) return is_letter_or_digit(chord.character);
  return chord.ctrl && chord.character != 0 && kEditing.find(chord.character) == std::string_view::npos;
}

}  // namespace kino
