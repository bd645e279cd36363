#include "app/ui/backend/imgui_input.hpp"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include "app/ui/widgets/keys.hpp"

namespace kino {

#if IMGUI_VERSION_NUM < 18700

namespace {

constexpr struct {
  ImGuiKey imgui;
  int glfw;
} kKeyMap[] = {{ImGuiKey_Tab, GLFW_KEY_TAB},
               {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
               {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
               {ImGuiKey_UpArrow, GLFW_KEY_UP},
               {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
               {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
               {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
               {ImGuiKey_Home, GLFW_KEY_HOME},
               {ImGuiKey_End, GLFW_KEY_END},
               {ImGuiKey_Insert, GLFW_KEY_INSERT},
               {ImGuiKey_Delete, GLFW_KEY_DELETE},
               {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
               {ImGuiKey_Space, GLFW_KEY_SPACE},
               {ImGuiKey_Enter, GLFW_KEY_ENTER},
               {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
               {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
               {ImGuiKey_A, GLFW_KEY_A},
               {ImGuiKey_C, GLFW_KEY_C},
               {ImGuiKey_V, GLFW_KEY_V},
               {ImGuiKey_X, GLFW_KEY_X},
               {ImGuiKey_Y, GLFW_KEY_Y},
               {ImGuiKey_Z, GLFW_KEY_Z}};

}  // namespace

void begin_input() {}

void begin_remote_input() {
  for (const auto& key : kKeyMap) ImGui::GetIO().KeyMap[key.imgui] = key.glfw;
}

void send_key(GLFWwindow* window, int code, int scancode, bool down) {
  if (window == nullptr) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeysDown[code] = down;
    io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
    io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
    io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
    io.KeySuper = io.KeysDown[GLFW_KEY_LEFT_SUPER] || io.KeysDown[GLFW_KEY_RIGHT_SUPER];
    return;
  }
  ImGui_ImplGlfw_KeyCallback(window, code, scancode, down ? GLFW_PRESS : GLFW_RELEASE, 0);
}

void send_button(GLFWwindow* window, int button, bool down) {
  if (window == nullptr) {
    if (button >= 0 && button < ImGuiMouseButton_COUNT) ImGui::GetIO().MouseDown[button] = down;
    return;
  }
  ImGui_ImplGlfw_MouseButtonCallback(window, button, down ? GLFW_PRESS : GLFW_RELEASE, 0);
}

void send_position(float x, float y) { ImGui::GetIO().MousePos = ImVec2(x, y); }

void send_wheel(float x, float y) {
  ImGui::GetIO().MouseWheelH += x;
  ImGui::GetIO().MouseWheel += y;
}

#else

namespace {

struct KeyPair {
  int glfw;
  ImGuiKey imgui;
};

// Keys other than characters, function keys and the digits of the keypad.
constexpr KeyPair kKeyPairs[] = {{GLFW_KEY_SPACE, ImGuiKey_Space},
                                 {GLFW_KEY_ESCAPE, ImGuiKey_Escape},
                                 {GLFW_KEY_ENTER, ImGuiKey_Enter},
                                 {GLFW_KEY_TAB, ImGuiKey_Tab},
                                 {GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
                                 {GLFW_KEY_INSERT, ImGuiKey_Insert},
                                 {GLFW_KEY_DELETE, ImGuiKey_Delete},
                                 {GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
                                 {GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
                                 {GLFW_KEY_DOWN, ImGuiKey_DownArrow},
                                 {GLFW_KEY_UP, ImGuiKey_UpArrow},
                                 {GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
                                 {GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
                                 {GLFW_KEY_HOME, ImGuiKey_Home},
                                 {GLFW_KEY_END, ImGuiKey_End},
                                 {GLFW_KEY_CAPS_LOCK, ImGuiKey_CapsLock},
                                 {GLFW_KEY_SCROLL_LOCK, ImGuiKey_ScrollLock},
                                 {GLFW_KEY_NUM_LOCK, ImGuiKey_NumLock},
                                 {GLFW_KEY_PRINT_SCREEN, ImGuiKey_PrintScreen},
                                 {GLFW_KEY_PAUSE, ImGuiKey_Pause},
                                 {GLFW_KEY_KP_DECIMAL, ImGuiKey_KeypadDecimal},
                                 {GLFW_KEY_KP_DIVIDE, ImGuiKey_KeypadDivide},
                                 {GLFW_KEY_KP_MULTIPLY, ImGuiKey_KeypadMultiply},
                                 {GLFW_KEY_KP_SUBTRACT, ImGuiKey_KeypadSubtract},
                                 {GLFW_KEY_KP_ADD, ImGuiKey_KeypadAdd},
                                 {GLFW_KEY_KP_ENTER, ImGuiKey_KeypadEnter},
                                 {GLFW_KEY_KP_EQUAL, ImGuiKey_KeypadEqual},
                                 {GLFW_KEY_LEFT_SHIFT, ImGuiKey_LeftShift},
                                 {GLFW_KEY_LEFT_CONTROL, ImGuiKey_LeftCtrl},
                                 {GLFW_KEY_LEFT_ALT, ImGuiKey_LeftAlt},
                                 {GLFW_KEY_LEFT_SUPER, ImGuiKey_LeftSuper},
                                 {GLFW_KEY_RIGHT_SHIFT, ImGuiKey_RightShift},
                                 {GLFW_KEY_RIGHT_CONTROL, ImGuiKey_RightCtrl},
                                 {GLFW_KEY_RIGHT_ALT, ImGuiKey_RightAlt},
                                 {GLFW_KEY_RIGHT_SUPER, ImGuiKey_RightSuper},
                                 {GLFW_KEY_MENU, ImGuiKey_Menu}};

ImGuiKey key_from_glfw(int code) {
  if (code >= GLFW_KEY_F1 && code <= GLFW_KEY_F12)
    return static_cast<ImGuiKey>(ImGuiKey_F1 + (code - GLFW_KEY_F1));
  if (code >= GLFW_KEY_KP_0 && code <= GLFW_KEY_KP_9)
    return static_cast<ImGuiKey>(ImGuiKey_Keypad0 + (code - GLFW_KEY_KP_0));
  for (const KeyPair& pair : kKeyPairs) {
    if (pair.glfw == code) return pair.imgui;
  }
  // GLFW's codes of letters, digits and punctuation are their characters.
  return code > GLFW_KEY_SPACE && code <= GLFW_KEY_GRAVE_ACCENT ? imgui_key(static_cast<char>(code))
                                                                : ImGuiKey_None;
}

// Returns the modifier of a modifier key, or none for other keys.
ImGuiKey modifier_of(int code) {
  switch (code) {
    case GLFW_KEY_LEFT_SHIFT:
    case GLFW_KEY_RIGHT_SHIFT:
      return static_cast<ImGuiKey>(ImGuiMod_Shift);
    case GLFW_KEY_LEFT_CONTROL:
    case GLFW_KEY_RIGHT_CONTROL:
      return static_cast<ImGuiKey>(ImGuiMod_Ctrl);
    case GLFW_KEY_LEFT_ALT:
    case GLFW_KEY_RIGHT_ALT:
      return static_cast<ImGuiKey>(ImGuiMod_Alt);
    case GLFW_KEY_LEFT_SUPER:
    case GLFW_KEY_RIGHT_SUPER:
      return static_cast<ImGuiKey>(ImGuiMod_Super);
    default:
      return ImGuiKey_None;
  }
}

}  // namespace

// Disables ImGui's own distribution of input over frames, since InputQueue does that.
void begin_input() { ImGui::GetIO().ConfigInputTrickleEventQueue = false; }
void begin_remote_input() { begin_input(); }

void send_key(GLFWwindow* /*window*/, int code, int /*scancode*/, bool down) {
  ImGuiIO& io = ImGui::GetIO();
  if (const ImGuiKey modifier = modifier_of(code); modifier != ImGuiKey_None) io.AddKeyEvent(modifier, down);
  if (const ImGuiKey key = key_from_glfw(code); key != ImGuiKey_None) io.AddKeyEvent(key, down);
}

void send_button(GLFWwindow* /*window*/, int button, bool down) {
  if (button >= 0 && button < ImGuiMouseButton_COUNT) ImGui::GetIO().AddMouseButtonEvent(button, down);
}

void send_position(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
void send_wheel(float x, float y) { ImGui::GetIO().AddMouseWheelEvent(x, y); }

#endif

}  // namespace kino
