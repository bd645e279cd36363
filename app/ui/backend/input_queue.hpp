// Passes input to the interface in order, so that no tap between two frames is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace kino {

struct InputEvent {
  enum class Kind : std::uint8_t { key, character, button, move, wheel, enter, focus };
  Kind kind{};
  int code = 0;           ///< key or button; for characters the code point
  int scancode = 0;       ///< key
  bool down = false;      ///< key and button; enter and focus: whether gained
  bool modifier = false;  ///< key: Ctrl, Shift, Alt or Super
  double x = 0;           ///< move: position; wheel: amount
  double y = 0;
};

/// Dear ImGui before 1.87 sees only the state at each frame, so it misses a key that is pressed and released
/// between two frames. This queue spreads such events over frames.
class InputQueue {
 public:
  void push(const InputEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  /// Returns the events for the next frame. Each key and button changes at most once. No modifier changes
  /// after an event that it modifies, and no key press follows a character. The mouse neither moves nor
  /// leaves after a button event, and no button event follows a move. If more than kFarBehind key and button
  /// events are queued, these rules do not apply. With `hold_keys`, stops at the first key press or
  /// character.
  std::vector<InputEvent> take_frame(bool hold_keys = false);

  static constexpr std::size_t kFarBehind = 200;

 private:
  std::deque<InputEvent> events_;
};

}  // namespace kino
