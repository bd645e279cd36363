// Covers: sampled_tracks
// Tracks with a thread's own events, and tracks that show its time again as samples or scheduling.
#include "core/trace/sampled_tracks.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

TEST_CASE("sampled stacks, scheduling tracks and GPU streams are not working threads") {
  const auto trace = kino::EventFixture()
                         .slice(kino::TrackClass::cpu, "cpu_op", "aten::mm", 0, 10, "1")
                         .slice(kino::TrackClass::cpu, "cpu_sample", "main", 0, 10, "samples")
                         .slice(kino::TrackClass::cpu, "cpu_scheduling", "CPU 3", 0, 10, "turns")
                         .kernel("gemm", 40, 50, 1)
                         .build();
  REQUIRE(trace->tracks.size() == 4);
  int working = 0;
  int sampled = 0;
  for (const kino::Track& track : trace->tracks) {
    if (kino::is_working_thread(*trace, track)) {
      ++working;
      CHECK(std::string_view(track.tid) == "1");
    }
    if (kino::is_sampled_thread(*trace, track)) {
      ++sampled;
      CHECK(std::string_view(track.tid) == "samples");
    }
  }
  CHECK(working == 1);
  CHECK(sampled == 1);
}
