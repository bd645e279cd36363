// Keys by their caps, in the numbering of the Dear ImGui version in use.
#pragma once

#include <imgui.h>

namespace kino {

/// Named keys that commands can use. Letters, digits and punctuation are passed as characters instead.
enum class NamedKey {
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  page_up,
  page_down,
  home,
  end,
  tab,
  escape,
  enter,
  backspace,
  del,
  insert,
  space,
  up,
  down,
  left,
  right,
};

#if IMGUI_VERSION_NUM < 18700
/// Dear ImGui 1.86 uses the key codes of GLFW. The code of a letter, digit or punctuation mark is the
/// character.
inline int imgui_key(char character) { return character; }
inline bool has_key(char /*character*/) { return true; }
inline constexpr int kFirstFunctionKey = 290;  // GLFW_KEY_F1
inline int key_from_imgui(ImGuiKey key) { return ImGui::GetKeyIndex(key); }
#else
/// Returns the key of a character; none for characters that a US keyboard cannot type without modifiers.
inline ImGuiKey imgui_key(char character) {
  struct Cap {
    char character;
    ImGuiKey key;
  };
  constexpr Cap kPunctuation[] = {
      {'\'', ImGuiKey_Apostrophe},  {',', ImGuiKey_Comma},       {'-', ImGuiKey_Minus},
      {'.', ImGuiKey_Period},       {'/', ImGuiKey_Slash},       {';', ImGuiKey_Semicolon},
      {'=', ImGuiKey_Equal},        {'[', ImGuiKey_LeftBracket}, {'\\', ImGuiKey_Backslash},
      {']', ImGuiKey_RightBracket}, {'`', ImGuiKey_GraveAccent}};
  for (const Cap& cap : kPunctuation) {
    if (cap.character == character) return cap.key;
  }
  if (character >= 'A' && character <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (character - 'A'));
  if (character >= '0' && character <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (character - '0'));
  return ImGuiKey_None;
}
inline bool has_key(char character) { return imgui_key(character) != ImGuiKey_None; }
inline constexpr int kFirstFunctionKey = ImGuiKey_F1;
inline ImGuiKey key_from_imgui(ImGuiKey key) { return key; }
#endif

inline auto imgui_key(NamedKey key) {
  constexpr decltype(ImGuiKey_Tab) kKeys[] = {
      ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Home,      ImGuiKey_End,       ImGuiKey_Tab,
      ImGuiKey_Escape, ImGuiKey_Enter,    ImGuiKey_Backspace, ImGuiKey_Delete,    ImGuiKey_Insert,
      ImGuiKey_Space,  ImGuiKey_UpArrow,  ImGuiKey_DownArrow, ImGuiKey_LeftArrow, ImGuiKey_RightArrow};
  using Number = decltype(key_from_imgui(ImGuiKey_Tab));
  const int number = static_cast<int>(key);
  if (key <= NamedKey::f12) return static_cast<Number>(kFirstFunctionKey + number);
  return key_from_imgui(kKeys[number - static_cast<int>(NamedKey::page_up)]);
}

/// Whether the key is held. Letters are in upper case.
inline bool key_down(char character) { return has_key(character) && ImGui::IsKeyDown(imgui_key(character)); }
/// Whether the key was pressed in this frame or, with `repeat`, is held and repeats.
inline bool key_pressed(char character, bool repeat = false) {
  return has_key(character) && ImGui::IsKeyPressed(imgui_key(character), repeat);
}
inline bool key_pressed(NamedKey key, bool repeat = false) {
  return ImGui::IsKeyPressed(imgui_key(key), repeat);
}
inline bool key_down(NamedKey key) { return ImGui::IsKeyDown(imgui_key(key)); }

}  // namespace kino
