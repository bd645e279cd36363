// What the program calls tracks is told from what the file does.
#include "core/trace/track_names.hpp"

#include <doctest/doctest.h>

TEST_CASE("a thread that the file names is not named by the program") {
  kino::Track track;
  track.kind = kino::TrackKind::cpu_thread;
  track.tid = "12";
  track.name = "thread 12";
  CHECK(kino::named_by_program(track));
  track.name = "thread 12 (python)";
  CHECK_FALSE(kino::named_by_program(track));
  track.kind = kino::TrackKind::counter;
  track.name = "memory reserved";
  CHECK_FALSE(kino::named_by_program(track));  // a counter of the file of that name
  track.bytes = true;
  CHECK(kino::named_by_program(track));
}

TEST_CASE("a group is titled by the program when the file has no name for it") {
  kino::Process process;
  process.pid = "12";
  process.title = "process 12";
  CHECK(kino::titled_by_program(process));
  process.title = "python 12 · CPU";
  CHECK_FALSE(kino::titled_by_program(process));
}
