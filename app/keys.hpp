// Keys by what their caps say, in the numbering of whichever Dear ImGui this is built with.
#pragma once

#include <imgui.h>

namespace kino {

/// Keys of the program's commands. Letters, digits and square brackets are given as characters.
enum class NamedKey { f1, f3, page_up, page_down, home, end, tab, escape, enter, backspace, up, down };

#if IMGUI_VERSION_NUM < 18700
/// 1.86 numbers keys as the backend does; GLFW's letters and digits are their upper-case characters.
inline int key_number(char character) { return character; }
inline int key_number(NamedKey key) {
  switch (key) {
    case NamedKey::f1:
      return 290;  // GLFW_KEY_F1
    case NamedKey::f3:
      return 292;  // GLFW_KEY_F3
    case NamedKey::page_up:
      return ImGui::GetKeyIndex(ImGuiKey_PageUp);
    case NamedKey::page_down:
      return ImGui::GetKeyIndex(ImGuiKey_PageDown);
    case NamedKey::home:
      return ImGui::GetKeyIndex(ImGuiKey_Home);
    case NamedKey::end:
      return ImGui::GetKeyIndex(ImGuiKey_End);
    case NamedKey::tab:
      return ImGui::GetKeyIndex(ImGuiKey_Tab);
    case NamedKey::escape:
      return ImGui::GetKeyIndex(ImGuiKey_Escape);
    case NamedKey::enter:
      return ImGui::GetKeyIndex(ImGuiKey_Enter);
    case NamedKey::backspace:
      return ImGui::GetKeyIndex(ImGuiKey_Backspace);
    case NamedKey::up:
      return ImGui::GetKeyIndex(ImGuiKey_UpArrow);
    case NamedKey::down:
      return ImGui::GetKeyIndex(ImGuiKey_DownArrow);
  }
  return ImGui::GetKeyIndex(ImGuiKey_Escape);
}
#else
inline ImGuiKey key_number(char character) {
  if (character == '[') return ImGuiKey_LeftBracket;
  if (character == ']') return ImGuiKey_RightBracket;
  return character >= 'A' ? static_cast<ImGuiKey>(ImGuiKey_A + (character - 'A'))
                          : static_cast<ImGuiKey>(ImGuiKey_0 + (character - '0'));
}
inline ImGuiKey key_number(NamedKey key) {
  switch (key) {
    case NamedKey::f1:
      return ImGuiKey_F1;
    case NamedKey::f3:
      return ImGuiKey_F3;
    case NamedKey::page_up:
      return ImGuiKey_PageUp;
    case NamedKey::page_down:
      return ImGuiKey_PageDown;
    case NamedKey::home:
      return ImGuiKey_Home;
    case NamedKey::end:
      return ImGuiKey_End;
    case NamedKey::tab:
      return ImGuiKey_Tab;
    case NamedKey::escape:
      return ImGuiKey_Escape;
    case NamedKey::enter:
      return ImGuiKey_Enter;
    case NamedKey::backspace:
      return ImGuiKey_Backspace;
    case NamedKey::up:
      return ImGuiKey_UpArrow;
    case NamedKey::down:
      return ImGuiKey_DownArrow;
  }
  return ImGuiKey_Escape;
}
#endif

/// Whether the key is held. Letters are given in upper case.
inline bool key_down(char character) { return ImGui::IsKeyDown(key_number(character)); }
/// Whether the key went down since the last frame, or, with `repeat`, is held long enough to repeat.
inline bool key_pressed(char character, bool repeat = false) {
  return ImGui::IsKeyPressed(key_number(character), repeat);
}
inline bool key_pressed(NamedKey key, bool repeat = false) {
  return ImGui::IsKeyPressed(key_number(key), repeat);
}

}  // namespace kino
