#include "app/ui/backend/input_queue.hpp"

#include <algorithm>

namespace kino {
namespace {

using Kind = InputEvent::Kind;

// Whether `next` must wait for a later frame than the one that gets `taken`.
bool waits(const std::vector<InputEvent>& taken, const InputEvent& next) {
  const auto any = [&](auto matches) { return std::ranges::any_of(taken, matches); };
  switch (next.kind) {
    case Kind::key:
      return any([&](const InputEvent& event) {
        const bool same_key = event.kind == Kind::key && event.code == next.code;
        const bool modified = next.modifier && (event.kind == Kind::wheel || event.kind == Kind::button ||
                                                (event.kind == Kind::key && !event.modifier));
        const bool after_text = event.kind == Kind::character && next.down;
        return same_key || modified || after_text;
      });
    case Kind::button:
      return any([&](const InputEvent& event) {
        const bool same_button = event.kind == Kind::button && event.code == next.code;
        // An item notices the mouse one frame after a move; a click in the same frame would be lost.
        const bool moved = event.kind == Kind::move;
        return same_button || moved;
      });
    case Kind::move:
    case Kind::enter:  // leaving the window changes the position, like a move
      return any([](const InputEvent& event) { return event.kind == Kind::button; });
    case Kind::wheel:
    case Kind::character:
    case Kind::focus:
      return false;
  }
  return false;
}

bool is_typed(const InputEvent& event) {
  return event.kind == Kind::character || (event.kind == Kind::key && event.down);
}

}  // namespace

std::vector<InputEvent> InputQueue::take_frame(bool hold_keys) {
  std::vector<InputEvent> taken;
  const auto strokes = std::ranges::count_if(
      events_, [](const InputEvent& event) { return event.kind == Kind::key || event.kind == Kind::button; });
  const bool far_behind = static_cast<std::size_t>(strokes) > kFarBehind;
  while (!events_.empty() && (far_behind || !waits(taken, events_.front()))) {
    if (hold_keys && is_typed(events_.front())) break;
    taken.push_back(events_.front());
    events_.pop_front();
  }
  return taken;
}

}  // namespace kino
