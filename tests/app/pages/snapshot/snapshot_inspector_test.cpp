// Covers: snapshot_inspector
// The lines on the memory at the cursor, by hand.
#include "app/pages/snapshot/snapshot_inspector.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using Action = kino::SnapshotAction;
using Lines = std::vector<std::string>;

kino::LiveSums live_bytes(std::uint64_t bytes, std::size_t count) {
  kino::LiveSums live;
  live.bytes = bytes;
  live.count = count;
  return live;
}

}  // namespace

TEST_CASE("the lines at the cursor contain the live bytes and the time") {
  const kino::SnapshotDevice device =
      kino_test::device_of({{Action::alloc, 0x1000, 100, 5'000'000, kino::kNoStack},
                            {Action::alloc, 0x2000, 30, 5'001'500, kino::kNoStack}});
  CHECK(kino::moment_lines(device, 1, live_bytes(130, 2)) ==
        Lines{"Live: 130 B (allocations: 2)", "Time since the first event: 1.5 ms"});
  CHECK(kino::moment_lines(device, kino::kBeforeRecording, live_bytes(0, 0)) ==
        Lines{"Live: 0 B (allocations: 0)"});
}

TEST_CASE("without times, the lines at the cursor contain no time") {
  const kino::SnapshotDevice device =
      kino_test::device_of({{Action::alloc, 0x1000, 100, kino::SnapshotEntries::kNoTime, kino::kNoStack}});
  CHECK(kino::moment_lines(device, 0, live_bytes(100, 1)) == Lines{"Live: 100 B (allocations: 1)"});
}

TEST_CASE("reserved memory is a line of its own") {
  const kino::SnapshotDevice device = kino_test::device_of(
      {{Action::segment_alloc, 0x1000, 200, kino::SnapshotEntries::kNoTime, kino::kNoStack},
       {Action::alloc, 0x1000, 100, kino::SnapshotEntries::kNoTime, kino::kNoStack}});
  CHECK(kino::moment_lines(device, 1, live_bytes(100, 1)) ==
        Lines{"Live: 100 B (allocations: 1)", "Reserved: 200 B"});
}
