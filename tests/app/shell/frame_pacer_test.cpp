// Covers: frame_pacer
// After each event, frames are drawn until the interface is laid out; then the window sleeps.
#include "app/shell/frame_pacer.hpp"

#include <doctest/doctest.h>

namespace {

/// Returns the number of frames that follow if all of them show the same picture.
int frames_until_rest(kino::FramePacer& pacer, std::uint64_t picture = 1) {
  int frames = 0;
  for (; pacer.frame_due() && frames < 100; ++frames) pacer.drawn(false, picture);
  return frames;
}

kino::FramePacer at_rest() {
  kino::FramePacer pacer;
  frames_until_rest(pacer);
  return pacer;
}

}  // namespace

TEST_CASE("draws enough frames after a worker's result for columns to find their width") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  CHECK(frames_until_rest(pacer) == kino::FramePacer::kFramesAfterEvent);
}

TEST_CASE("draws enough frames after each of several simultaneous inputs") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  // The queue passes one event per frame, and the last one may open a list.
  for (int event = 0; event < 3; ++event) pacer.drawn(true, 1);
  CHECK(frames_until_rest(pacer) == kino::FramePacer::kFramesAfterEvent - 1);
}

TEST_CASE("a picture that changes is drawn until it no longer changes") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  pacer.drawn(false, 1);
  pacer.drawn(false, 1);
  pacer.drawn(false, 2);  // the last of the frames after an event opens something
  CHECK(pacer.frame_due());
  pacer.drawn(false, 3);
  CHECK(frames_until_rest(pacer, 3) == 2);
}

TEST_CASE("the window sleeps even if the picture never stops changing") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  std::uint64_t picture = 2;
  int frames = 0;
  for (; pacer.frame_due() && frames < 100; ++frames) pacer.drawn(false, ++picture);
  CHECK(frames < 20);
  pacer.time_passed();
  pacer.drawn(false, ++picture);
  CHECK_FALSE(pacer.frame_due());
}
