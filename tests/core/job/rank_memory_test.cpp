// Covers: rank_memory
// Memory of a rank: peak and thinned curve.
#include "core/job/rank_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

using kino::MemoryPoint;
using kino::RankMemory;

TEST_CASE("reports the peak of a rank's memory and its value at a time") {
  const std::vector<MemoryPoint> points{{10, 5}, {20, 9}, {20, 7}, {40, 2}};
  const RankMemory memory = kino::rank_memory(points);
  CHECK(memory.peak_bytes == 9);
  CHECK(memory.peak_ns == 20);
  CHECK(memory.curve == points);
  CHECK(memory.bytes_at(9) == -1);
  CHECK(memory.bytes_at(10) == 5);
  CHECK(memory.bytes_at(39) == 7);
  CHECK(memory.bytes_at(1000) == 2);
  CHECK(kino::peak_within(points, 0, 5) == -1);
  CHECK(kino::peak_within(points, 0, 20) == 5);
  CHECK(kino::peak_within(points, 15, 30) == 9);
  CHECK(kino::peak_within(points, 25, 50) == 7);  // includes the value at the begin
  CHECK(kino::rank_memory({}).peak_bytes == -1);
}

TEST_CASE("thins many points and keeps the highest") {
  std::mt19937_64 random(7);
  std::vector<MemoryPoint> points;
  for (std::int64_t i = 0; i < 100'000; ++i)
    points.push_back({i * 100, static_cast<std::int64_t>(random() % 1'000'000'000)});
  const RankMemory memory = kino::rank_memory(points);
  CHECK(memory.curve.size() <= RankMemory::kMostPoints);
  CHECK(std::ranges::max_element(memory.curve, {}, &MemoryPoint::bytes)->bytes == memory.peak_bytes);
  CHECK(memory.peak_bytes == kino::peak_within(points, INT64_MIN, INT64_MAX));
  CHECK(std::ranges::is_sorted(memory.curve, {}, &MemoryPoint::time_ns));
  CHECK(memory.curve.back() == points.back());
}

TEST_CASE("a rank's snapshot has the peak of the snapshot's page, also if it is at the begin") {
  using kino::SnapshotAction;
  kino::Snapshot snapshot;
  // 900 bytes are older than the recording; their free is requested first and completed later.
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::free_requested, 0x9000, 900, 10},
                                                   {SnapshotAction::free_completed, 0x9000, 900, 20},
                                                   {SnapshotAction::alloc, 0x1000, 100, 30},
                                                   {SnapshotAction::alloc, 0x2000, 60, 40},
                                                   {SnapshotAction::free_requested, 0x1000, 100, 50},
                                                   {SnapshotAction::free_completed, 0x1000, 100, 60}}));
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, 5, 35}}));
  snapshot.devices.back().ordinal = 3;
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, 5000, 35}}));
  snapshot.devices.back().host = true;
  snapshot.devices.push_back(kino_test::device_of({}));
  const kino::RankSnapshot rank = kino::rank_snapshot(snapshot, {});
  CHECK(rank.memory.peak_bytes == 900);
  CHECK(static_cast<std::uint64_t>(rank.memory.peak_bytes) ==
        snapshot.devices[0].history.curve(kino::MemoryCurve::requested).peak.bytes);
  CHECK(rank.memory.peak_ns == 10'000);
  CHECK(rank.memory.bytes_at(15'000) == 900);  // until the free has completed
  CHECK(rank.memory.bytes_at(20'000) == 0);
  CHECK(rank.memory.bytes_at(55'000) == 160);
  CHECK(rank.memory.bytes_at(60'000) == 60);
  REQUIRE(rank.devices.size() == 2);
  CHECK(rank.devices[0].allocations == 2);
  CHECK(rank.devices[0].allocated_bytes == 160);
  CHECK(rank.devices[0].frees == 2);
  CHECK(rank.devices[0].freed_bytes == 1000);
  CHECK(rank.devices[0].end_bytes == 60);
  CHECK(rank.devices[0].peak_bytes == 900);
  CHECK(rank.devices[1].device == 3);
  CHECK(rank.devices[1].peak_bytes == 5);
  CHECK(kino::rank_snapshot({}, {}).memory.peak_bytes == -1);
}
