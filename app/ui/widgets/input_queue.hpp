// Hands input to the interface in its order, so that no tap between two frames is lost.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace kino {

/// One event as the window system told it.
struct InputEvent {
  enum class Kind : std::uint8_t { key, character, button, move, wheel, enter, focus };
  Kind kind{};
  int code = 0;           ///< key or button; character: the code point
  int scancode = 0;       ///< key
  bool down = false;      ///< key and button; enter and focus: whether gained
  bool modifier = false;  ///< key: Ctrl, Shift, Alt or Super
  double x = 0;           ///< move: position; wheel: amount
  double y = 0;
};

/// Dear ImGui before 1.87 only sees the state at the frame, so a key that goes down and up between two frames
/// never happened. This queue spreads such events over frames.
class InputQueue {
 public:
  void push(const InputEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  /// The events for the next frame: as many as change each key and button at most once, change no modifier
  /// after what it modifies, do not move the mouse after a button or take it out of the window, and do not
  /// press a button or let it go after a move. Everything at once when the frames lag more than kFarBehind
  /// keys and buttons behind; the mouse may move and turn its wheel as much as it likes. With `hold_keys`,
  /// nothing from the first key or character on that is typed.
  std::vector<InputEvent> take_frame(bool hold_keys = false);

  static constexpr std::size_t kFarBehind = 200;

 private:
  std::deque<InputEvent> events_;
};

}  // namespace kino
