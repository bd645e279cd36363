// Connects the input of a browser's page to Dear ImGui.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "app/ui/backend/input_queue.hpp"

namespace kino {

/// UI thread only; requires an ImGui context. If kMostQueued events wait for a frame, more events are
/// ignored, except releases of keys and buttons.
class RemoteInput {
 public:
  static constexpr std::size_t kMostQueued = 20'000;

  RemoteInput();

  /// Positions are in ImGui's units. Values that are not finite are ignored.
  void move(double x, double y);
  /// `x` and `y` are notches of a wheel.
  void wheel(double x, double y);
  /// 0: left, 1: right, 2: middle button.
  void button(int number, bool down);
  /// `code` is a GLFW key.
  void key(int code, bool down);
  /// Valid UTF-8; other bytes and control characters are ignored.
  void text(std::string_view utf8);
  /// Releases all keys and buttons if the page lost the focus, and moves the mouse away.
  void focus(bool gained);

  /// Passes the next frame's share of the input to Dear ImGui, and returns whether there was any. Call just
  /// before ImGui::NewFrame().
  bool begin_frame();
  bool empty() const { return queue_.empty(); }
  /// Number of events that wait for a frame.
  std::size_t size() const { return queue_.size(); }

 private:
  void feed(const InputEvent& event);
  bool full() const { return queue_.size() >= kMostQueued; }

  static constexpr int kButtons = 3;
  static constexpr int kKeys = 512;

  InputQueue queue_;
  std::vector<bool> keys_ = std::vector<bool>(kKeys);        // by GLFW code: whether held, after all events
  std::vector<bool> buttons_ = std::vector<bool>(kButtons);  // whether held, after all events
};

}  // namespace kino
