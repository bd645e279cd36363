// Covers: input_queue
#include "app/ui/backend/input_queue.hpp"

#include <doctest/doctest.h>

namespace {

using kino::InputEvent;
using Kind = InputEvent::Kind;

InputEvent key(int code, bool down) { return {.kind = Kind::key, .code = code, .down = down}; }
InputEvent modifier(bool down) { return {.kind = Kind::key, .code = 341, .down = down, .modifier = true}; }
InputEvent button(bool down) { return {.kind = Kind::button, .code = 0, .down = down}; }
InputEvent wheel() { return {.kind = Kind::wheel, .y = 1}; }
InputEvent move(double x) { return {.kind = Kind::move, .x = x}; }

}  // namespace

TEST_CASE("a key that is pressed and released at once is down for one frame") {
  kino::InputQueue queue;
  queue.push(key('W', true));
  queue.push(key('W', false));
  CHECK(queue.take_frame().size() == 1);
  CHECK_FALSE(queue.empty());
  CHECK(queue.take_frame().size() == 1);
  CHECK(queue.empty());
}

TEST_CASE("input typed for a field that is about to take the keyboard waits for it, in order") {
  kino::InputQueue queue;
  queue.push(key('F', false));
  queue.push(move(1));
  queue.push(key('A', true));
  queue.push({.kind = Kind::character, .code = 'a'});
  queue.push(move(2));
  CHECK(queue.take_frame(true).size() == 2);
  CHECK(queue.take_frame(true).empty());
  const auto typed = queue.take_frame();
  REQUIRE(typed.size() == 3);
  CHECK(typed[0].code == 'A');
  CHECK(typed[1].code == 'a');
  CHECK(typed[2].x == 2);
}

TEST_CASE("the wheel is turned while its modifier is still held") {
  kino::InputQueue queue;
  queue.push(modifier(true));
  queue.push(wheel());
  queue.push(modifier(false));
  CHECK(queue.take_frame().size() == 2);
  CHECK(queue.take_frame().size() == 1);
}

TEST_CASE("a shortcut's key is pressed while its modifier is still held") {
  kino::InputQueue queue;
  queue.push(modifier(true));
  queue.push(key('O', true));
  queue.push(modifier(false));
  queue.push(key('O', false));
  CHECK(queue.take_frame().size() == 2);
}

TEST_CASE("a click remains where it was made, and a drag is seen before it ends") {
  kino::InputQueue queue;
  queue.push(move(10));
  queue.push(button(true));
  queue.push(move(20));
  queue.push(button(false));
  const auto first = queue.take_frame();
  REQUIRE(first.size() == 1);
  CHECK(first[0].x == 10);
  const auto pressed = queue.take_frame();
  REQUIRE(pressed.size() == 1);
  CHECK(pressed[0].down);
  const auto dragged = queue.take_frame();
  REQUIRE(dragged.size() == 1);
  CHECK(dragged[0].x == 20);
  CHECK(queue.take_frame().size() == 1);
}

TEST_CASE("an item is hovered for a frame before it is clicked") {
  kino::InputQueue queue;
  queue.push(move(10));
  queue.push(button(true));
  queue.push(button(false));
  CHECK(queue.take_frame().size() == 1);
  CHECK(queue.take_frame().size() == 1);
  CHECK(queue.take_frame().size() == 1);
  CHECK(queue.empty());
}

TEST_CASE("a drag ends where the button was released, even if the mouse leaves the window at once") {
  kino::InputQueue queue;
  queue.push(move(20));
  queue.push(button(false));
  queue.push({.kind = Kind::enter, .down = false});
  CHECK(queue.take_frame().size() == 1);
  const auto released = queue.take_frame();
  REQUIRE(released.size() == 1);
  CHECK(released[0].kind == Kind::button);
  CHECK(queue.take_frame().size() == 1);
}

TEST_CASE("moves and turns of the wheel are never held back") {
  kino::InputQueue queue;
  for (int i = 0; i < 50; ++i) {
    queue.push(move(i));
    queue.push(wheel());
  }
  CHECK(queue.take_frame().size() == 100);
}

TEST_CASE("input that accumulated while frames were slow is passed at once") {
  kino::InputQueue queue;
  for (std::size_t i = 0; i < kino::InputQueue::kFarBehind; ++i) {
    queue.push(key('W', true));
    queue.push(key('W', false));
  }
  queue.take_frame();
  CHECK(queue.empty());
}

TEST_CASE("ten presses of a key count as ten, however far the mouse moved between two frames") {
  kino::InputQueue queue;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 100; ++j) queue.push(move(j));
    queue.push(key('W', true));
    queue.push(key('W', false));
  }
  int strokes = 0;
  while (!queue.empty()) {
    int downs = 0;
    for (const InputEvent& event : queue.take_frame()) downs += event.kind == Kind::key && event.down ? 1 : 0;
    CHECK(downs <= 1);
    strokes += downs;
  }
  CHECK(strokes == 10);
}

TEST_CASE("a frame without input gets none") {
  kino::InputQueue queue;
  CHECK(queue.take_frame().empty());
}
