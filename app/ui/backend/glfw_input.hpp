// Connects a GLFW window's input to Dear ImGui: keys by their caps, no lost taps, dropped files.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/ui/backend/input_queue.hpp"

struct GLFWwindow;

namespace kino {

/// Installs the window's callbacks; requires an ImGui context. UI thread only.
class GlfwInput {
 public:
  using DropHandler = std::function<void(std::vector<std::filesystem::path>)>;

  GlfwInput(GLFWwindow* window, DropHandler dropped);
  GlfwInput(const GlfwInput&) = delete;
  GlfwInput& operator=(const GlfwInput&) = delete;
  ~GlfwInput();

  /// Passes the next frame's share of the input to Dear ImGui, and returns whether there was any. Call just
  /// before ImGui::NewFrame().
  bool begin_frame();
  /// Whether all input has been passed. If it has not, more frames are needed.
  bool empty() const { return queue_.empty(); }
  /// Whether there was any event since the last call, such as input, dropped files, a request to close, a
  /// resize, or an exposed part of the window.
  bool take_activity();
  /// Whether an event since the last call requires a redraw, such as a resize or a part of the window
  /// becoming visible.
  bool take_uncovered();

 private:
  static GlfwInput& of(GLFWwindow* window);
  void install_callbacks();
  void install_window_callbacks();
  void push(const InputEvent& event);
  void enter();
  void uncover();
  void feed(const InputEvent& event);
  int cap_of(int key, int scancode);

  static constexpr int kKeys = 512;

  GLFWwindow* window_;
  DropHandler dropped_;
  InputQueue queue_;
  bool activity_ = true;
  bool uncovered_ = true;
  double mouse_x_ = -1e6;
  double mouse_y_ = -1e6;
  bool mouse_inside_ = true;
  std::vector<bool> buttons_ = std::vector<bool>(5);
  std::vector<int> pressed_as_ = std::vector<int>(kKeys);  // by GLFW key: code reported when pressed
};

}  // namespace kino
