// Passes input to Dear ImGui in place of ImGui's own GLFW backend. From 1.87 on, that backend reads modifiers
// only when a queued event is passed, so a quick Ctrl+Q would become Q.
#pragma once

struct GLFWwindow;

namespace kino {

/// Makes input take effect in the frame in which it is passed. Called once; requires an ImGui context.
void begin_input();
/// Like begin_input(), for input that is not from a GLFW window. Use null as `window` below.
void begin_remote_input();
/// `code` is a GLFW key.
void send_key(GLFWwindow* window, int code, int scancode, bool down);
void send_button(GLFWwindow* window, int button, bool down);

/// For input that is not from a GLFW window: the position in ImGui's units, and notches of the wheel.
void send_position(float x, float y);
void send_wheel(float x, float y);

}  // namespace kino
