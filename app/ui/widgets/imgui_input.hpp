// Passes keys and buttons to Dear ImGui. From 1.87 on, its backend reads the modifiers when a queued event is
// passed, so that a quick Ctrl+Q would become Q.
#pragma once

struct GLFWwindow;

namespace kino {

/// Called once, with an ImGui context: input then takes effect in the frame in which it is passed.
void begin_input();
/// `code` is a GLFW key.
void send_key(GLFWwindow* window, int code, int scancode, bool down);
void send_button(GLFWwindow* window, int button, bool down);

}  // namespace kino
