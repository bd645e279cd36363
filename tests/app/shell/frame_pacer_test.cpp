// Covers: frame_pacer
// Frames follow whatever comes until the interface is laid out, and then the window sleeps.
#include "app/shell/frame_pacer.hpp"

#include <doctest/doctest.h>

namespace {

/// How many frames follow, the picture being the same in all of them.
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

TEST_CASE("data from a worker is followed by frames until its columns have their width") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  CHECK(frames_until_rest(pacer) == kino::FramePacer::kFramesAfterEvent);
}

TEST_CASE("press, release and move at the same time are each followed by enough frames") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  // The queue hands them out one a frame; a list opens with the last of them.
  for (int event = 0; event < 3; ++event) pacer.drawn(true, 1);
  CHECK(frames_until_rest(pacer) == kino::FramePacer::kFramesAfterEvent - 1);
}

TEST_CASE("a picture that changes is drawn until it rests") {
  kino::FramePacer pacer = at_rest();
  pacer.arrived();
  pacer.drawn(false, 1);
  pacer.drawn(false, 1);
  pacer.drawn(false, 2);  // the last of the frames after an event opens something
  CHECK(pacer.frame_due());
  pacer.drawn(false, 3);
  CHECK(frames_until_rest(pacer, 3) == 2);
}

TEST_CASE("a picture that never rests lets the window sleep") {
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
