// Covers: snapshot_counters, unix_clock, running_kernels
// Counters for a trace from an allocator snapshot of the same run, and the work at its events.
#include "core/job/snapshot_counters.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/unix_clock.hpp"
#include "core/trace/links/running_kernels.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

using namespace kino;
using kino_test::device_of;
using kino_test::EntryRow;

namespace {

constexpr std::int64_t kBeginUs = 1'743'406'976'000'000;

using Points = std::vector<std::pair<std::int64_t, double>>;

Points points_of(const CounterRow& row) {
  Points points;
  for (std::size_t i = 0; i < row.time_ns.size(); ++i) points.emplace_back(row.time_ns[i], row.value[i]);
  return points;
}

/// A GPU with a kernel of 10 us that starts at kBeginUs and 123 ns.
std::shared_ptr<const Trace> recorded() {
  return EventFixture().kernel("gemm", kBeginUs * 1000 + 123, 10'000).build();
}

Snapshot with(const std::vector<EntryRow>& rows) {
  Snapshot snapshot;
  snapshot.devices.push_back(device_of(rows));
  return snapshot;
}

}  // namespace

TEST_CASE("a snapshot's memory is a counter in the trace's ns, from the snapshot's first event") {
  const CounterTracks made =
      snapshot_counters(*recorded(),
                        with({{SnapshotAction::segment_alloc, 0x1000, 4096, kBeginUs - 2},
                              {SnapshotAction::alloc, 0x1000, 512, kBeginUs - 2},
                              {SnapshotAction::alloc, 0x1200, 1024, kBeginUs + 3},
                              {SnapshotAction::free_requested, 0x1000, 512, kBeginUs + 5},
                              {SnapshotAction::free_completed, 0x1000, 512, kBeginUs + 6}}),
                        "memory.pickle");
  REQUIRE(made.tracks.size() == 2);
  CHECK(made.kinds == std::vector{DerivedCounter::snapshot_active, DerivedCounter::snapshot_reserved});
  CHECK(made.tracks[0].name == "Requested memory, GPU 0 · memory.pickle");
  CHECK(made.tracks[0].bytes);
  CHECK(made.tracks[0].max_value == 1536);
  CHECK(points_of(made.row(0)) == Points{{-2123, 512}, {2877, 1536}, {5877, 1024}});
  CHECK(points_of(made.row(1)) == Points{{-2123, 4096}});
}

TEST_CASE("keeps a peak that ends within its microsecond, before the final value") {
  const CounterTracks made =
      snapshot_counters(*recorded(),
                        with({{SnapshotAction::alloc, 0x1000, 512, kBeginUs},
                              {SnapshotAction::alloc, 0x2000, 4096, kBeginUs + 1},
                              {SnapshotAction::free_requested, 0x2000, 4096, kBeginUs + 1},
                              {SnapshotAction::free_completed, 0x2000, 4096, kBeginUs + 1},
                              {SnapshotAction::alloc, 0x2000, 64, kBeginUs + 2}}),
                        "m");
  CHECK(points_of(made.row(0)) == Points{{-123, 512}, {877, 4608}, {877, 512}, {1877, 576}});
}

TEST_CASE("a snapshot of another time, or without times, has no counters") {
  const std::vector<EntryRow> far{{SnapshotAction::alloc, 0x1000, 512, kBeginUs + 5'000'000},
                                  {SnapshotAction::alloc, 0x2000, 512, kBeginUs + 6'000'000}};
  CHECK(snapshot_counters(*recorded(), with(far), "m").tracks.empty());
  CHECK(snapshot_counters(*recorded(), with({{SnapshotAction::alloc, 0x1000, 512}}), "m").tracks.empty());
  CHECK(snapshot_counters(*recorded(), Snapshot{}, "m").tracks.empty());
  CHECK(snapshot_counters(Trace{}, with(far), "m").tracks.empty());
}

TEST_CASE("ids of counters continue over their parts, and the same tracks can follow others") {
  const auto trace = recorded();
  const auto memory = std::make_shared<const CounterTracks>(
      snapshot_counters(*trace,
                        with({{SnapshotAction::alloc, 0x1000, 512, kBeginUs},
                              {SnapshotAction::alloc, 0x2000, 512, kBeginUs + 1}}),
                        "m"));
  const auto own = std::make_shared<const CounterTracks>(derived_counters(*trace));
  REQUIRE(own->tracks.size() == 1);
  const DerivedCounters before{1, {memory, own}};
  CHECK(before.count() == 3);
  CHECK(before.kind(2) == DerivedCounter::snapshot_reserved);
  CHECK(before.kind(3) == DerivedCounter::utilization);
  CHECK_FALSE(before.holds(4));
  CHECK_FALSE(before.holds(0));
  const DerivedCounters after{7, {own, memory}};
  CHECK(&after.track_at(7) == &before.track_at(3));
  CHECK(points_of(after.row(8)) == points_of(before.row(1)));
}

TEST_CASE("the work at a time is the longest kernel on that GPU, before communication and copies") {
  const auto trace = EventFixture()
                         .kernel("ncclDevKernel_AllReduce", 0, 100, 1, "9")
                         .kernel("short", 10, 10, 2, "7")
                         .kernel("long", 5, 40, 3, "8")
                         .op("aten::mm", 0, 100)
                         .build();
  const auto process = process_of_gpu(*trace, SnapshotDevice{});
  REQUIRE(process);
  const auto name_at = [&](std::int64_t time_ns) {
    const RunningKernels found = running_kernels(*trace, *process, time_ns);
    return std::pair(found.first == kNoSlice ? std::string() : std::string(trace->name_of(found.first)),
                     found.more);
  };
  CHECK(name_at(12) == std::pair(std::string("long"), 2U));
  CHECK(name_at(60) == std::pair(std::string("ncclDevKernel_AllReduce"), 0U));
  CHECK(name_at(100) == std::pair(std::string(), 0U));
  SnapshotDevice other;
  other.ordinal = 3;
  CHECK_FALSE(process_of_gpu(*trace, other));
  other.ordinal = 0;
  other.host = true;
  CHECK_FALSE(process_of_gpu(*trace, other));
}
