// Covers: treemap_svg
#include "app/pages/memory_plot/treemap_svg.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

/// A segment without a history: a block in use, one pending free, and a free one.
kino::Snapshot without_history() {
  kino::Snapshot snapshot;
  kino::SnapshotSegment segment;
  segment.addr = kMebi;
  segment.size = 4 * kMebi;
  segment.block_count = 3;
  snapshot.devices.push_back(
      kino_test::device_of({}, {segment},
                           {{kMebi, 2 * kMebi, 2 * kMebi - 100, kino::kNoStack, kino::BlockState::allocated},
                            {3 * kMebi, kMebi, kMebi, kino::kNoStack, kino::BlockState::pending_free},
                            {4 * kMebi, kMebi, 0, kino::kNoStack, kino::BlockState::inactive}}));
  snapshot.streams = {0};
  snapshot.pools = {{}};
  return snapshot;
}

TEST_CASE("a device without a history reports blocks by state, and has an SVG") {
  const kino::Snapshot snapshot = without_history();
  const kino::TreemapResult answer = kino::compute_treemap(snapshot.devices[0], {0, 400, 200, 4});
  CHECK(answer.memory.reserved == 4 * kMebi);
  CHECK(answer.memory.allocated == 2 * kMebi);
  CHECK(answer.memory.pending == kMebi);
  CHECK(answer.memory.free == kMebi);
  REQUIRE(answer.map.blocks.size() == 3);
  CHECK(answer.map.blocks[0].used == 2 * kMebi);
  kino::PlotSvgStyle look;
  look.title = "a <b>";
  look.band = [](const kino::MemoryCell& cell) { return cell.allocation == 0 ? 0U : 0xff0000ffU; };
  const std::string drawing = kino::treemap_svg(snapshot, answer, look);
  CHECK(drawing.starts_with("<svg"));
  CHECK(drawing.ends_with("</svg>\n"));
  CHECK(drawing.find("a &lt;b>") != std::string::npos);
  CHECK(drawing.find("#ff0000") != std::string::npos);
  CHECK(drawing.find(R"(width="200.0" height="200.0")") != std::string::npos);
}

}  // namespace
