// Covers: view_history
#include "app/ui/view/view_history.hpp"

#include <doctest/doctest.h>

namespace {

using kino::TimeView;
using kino::ViewHistory;

TimeView view(double begin_ns, double ns_per_px = 10, double width_px = 1000) {
  return {begin_ns, ns_per_px, width_px};
}

/// Moves to a place over a few frames, `pause` after the previous movement.
void go(ViewHistory& history, double& now, const TimeView& to, double pause = 1) {
  now += pause;
  history.note(to, true, now);
  now += 0.1;
  history.note(to, false, now);
}

}  // namespace

TEST_CASE("there is nothing to undo before the view has moved") {
  ViewHistory history;
  CHECK_FALSE(history.undo());
  history.note(view(0), false, 0);
  history.note(view(0), false, 5);
  CHECK_FALSE(history.undo());
  CHECK_FALSE(history.redo());
}

TEST_CASE("undo and redo visit the places where the view rested") {
  ViewHistory history;
  double now = 0;
  history.note(view(0), false, now);
  go(history, now, view(1000));
  go(history, now, view(2000, 5));
  CHECK(history.undo() == view(1000));
  go(history, now, view(1000));
  CHECK(history.undo() == view(0));
  go(history, now, view(0));
  CHECK_FALSE(history.undo());
  CHECK(history.redo() == view(1000));
  CHECK(history.redo() == view(2000, 5));
  CHECK_FALSE(history.redo());
}

TEST_CASE("a new movement after undo discards the places to redo") {
  ViewHistory history;
  double now = 0;
  history.note(view(0), false, now);
  go(history, now, view(1000));
  go(history, now, view(2000));
  CHECK(history.undo() == view(1000));
  go(history, now, view(1000));
  go(history, now, view(7000));
  CHECK_FALSE(history.redo());
  CHECK(history.undo() == view(1000));
}

TEST_CASE("movements in quick succession are one step") {
  ViewHistory history;
  double now = 0;
  history.note(view(0), false, now);
  go(history, now, view(1000));
  for (int notch = 2; notch < 9; ++notch) go(history, now, view(1000.0 * notch), 0.1);
  CHECK(history.undo() == view(0));
}

TEST_CASE("the first place is recorded even if the first movement follows at once") {
  ViewHistory history;
  double now = 0;
  history.note(view(0), false, now);
  go(history, now, view(1000), 0.05);
  CHECK(history.undo() == view(0));
}

TEST_CASE("positions during a movement are not places") {
  ViewHistory history;
  history.note(view(0), false, 0);
  for (int frame = 1; frame < 50; ++frame) history.note(view(frame * 100), true, 1 + frame * 0.016);
  history.note(view(5000), false, 2);
  CHECK(history.undo() == view(0));
}

TEST_CASE("a view that jumps without a movement is a place") {
  ViewHistory history;
  history.note(view(0), false, 0);
  history.note(view(5000), false, 1);
  CHECK(history.undo() == view(0));
}

TEST_CASE("a movement that returns to its place is not a step") {
  ViewHistory history;
  history.note(view(0), false, 0);
  history.note(view(300), true, 1);
  history.note(view(0), false, 1.2);
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("a window of another width is not a step") {
  ViewHistory history;
  history.note(view(0, 10, 1000), false, 0);
  history.note(view(0, 10, 700), false, 1);  // same scale
  history.note(view(0, 10, 1400), false, 2);
  history.note(view(0, 28, 500), false, 3);  // everything is fitted again
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("the oldest places are dropped, not the newest") {
  ViewHistory history;
  double now = 0;
  history.note(view(0), false, now);
  for (int place = 1; place <= 300; ++place) go(history, now, view(place * 1000.0));
  std::size_t steps = 0;
  double last = 300'000;
  while (const auto earlier = history.undo()) {
    CHECK(earlier->begin_ns == last - 1000);
    last = earlier->begin_ns;
    ++steps;
  }
  CHECK(steps == ViewHistory::kMostPlaces - 1);
}
