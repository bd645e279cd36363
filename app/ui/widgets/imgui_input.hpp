// How keys and buttons are told to Dear ImGui. Since 1.87 its backend asks which modifiers are held now, when
// an event that waited is told: a quick Ctrl+Q would be a Q.
#pragma once

struct GLFWwindow;

namespace kino {

/// Once, with an ImGui context: what is told in a frame counts in that frame.
void begin_input();
/// `code` is a GLFW key.
void tell_key(GLFWwindow* window, int code, int scancode, bool down);
void tell_button(GLFWwindow* window, int button, bool down);

}  // namespace kino
