// Covers: live_sums
#include "app/pages/snapshot/live_sums.hpp"

#include <doctest/doctest.h>

#include "core/base/messages/message.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::LiveSums;
using kino::Snapshot;
using Action = kino::SnapshotAction;

Snapshot three_blocks() {
  Snapshot made;
  made.devices.push_back(kino_test::device_of({{Action::alloc, 0x1000, 100, 0, kino::kNoStack},
                                               {Action::alloc, 0x2000, 30, 0, kino::kNoStack},
                                               {Action::alloc, 0x3000, 7, 0, kino::kNoStack},
                                               {Action::free_completed, 0x1000, 100, 0, kino::kNoStack}}));
  return made;
}

}  // namespace

TEST_CASE("live memory is summed, and the largest allocations come first") {
  const Snapshot made = three_blocks();
  const LiveSums sums = kino::live_sums(made, 0, 2, nullptr);
  CHECK(sums.count == 3);
  CHECK(sums.bytes == 137);
  REQUIRE(sums.largest.size() == 3);
  const auto& sizes = made.devices[0].history.allocations.size;
  CHECK(sizes[kino::index_of(sums.largest[0])] == 100);
  CHECK(sizes[kino::index_of(sums.largest[2])] == 7);
  CHECK(sums.categories.empty());
  const LiveSums after = kino::live_sums(made, 0, 3, nullptr);
  CHECK(after.count == 2);
  CHECK(after.bytes == 37);
}

TEST_CASE("nothing is live before the first allocation") {
  const LiveSums sums = kino::live_sums(three_blocks(), 0, kino::kBeforeRecording, nullptr);
  CHECK(sums.count == 0);
  CHECK(sums.bytes == 0);
  CHECK(sums.largest.empty());
}

TEST_CASE("categories are sorted by bytes, and those without memory are left out") {
  const Snapshot made = three_blocks();
  kino::AllocationCategories categories;
  categories.names = {kino::msg::other, kino::msg::kernels, kino::msg::gaps};
  categories.of_allocation = {0, 2, 2};
  const LiveSums sums = kino::live_sums(made, 0, 3, &categories);
  REQUIRE(sums.categories.size() == 1);
  CHECK(sums.categories[0].bytes == 37);
  CHECK(made.devices[0].history.allocations.size[kino::index_of(sums.categories[0].largest)] == 30);
  const LiveSums before = kino::live_sums(made, 0, 2, &categories);
  REQUIRE(before.categories.size() == 2);
  CHECK(before.categories[0].bytes == 100);
  CHECK(before.categories[1].bytes == 37);
}
