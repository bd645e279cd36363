// Covers: trace_memory
// Conversion of a trace's memory events to a snapshot.
#include "core/job/trace_memory.hpp"

#include <stop_token>
#include <string>

#include <doctest/doctest.h>

#include "core/memory/snapshot_steps.hpp"
#include "core/memory/snapshot_text.hpp"
#include "tests/fixtures/trace_fixture.hpp"

namespace {

using kino::AllocationOrigin;
using kino::MemoryCurve;
using kino::Snapshot;
using kino::SnapshotDevice;
using kino::Trace;

struct MemoryEvent {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total = -1;
  std::uint32_t device = 0;
};

/// One thread with two consecutive operators and memory events.
std::shared_ptr<const Snapshot> snapshot_with(const std::vector<MemoryEvent>& events,
                                              const std::vector<kino::FixtureSample>& reserved = {}) {
  kino::TraceFixture fixture;
  fixture.add_row({{0, 10'000, 0}, {10'000, 10'000, 1}});
  if (!reserved.empty()) fixture.add_counter(reserved);
  const auto made = fixture.build();
  auto& trace = const_cast<Trace&>(*made);
  trace.origin_unix_ns = 1'700'000'000'000'000'000;
  trace.slices.kind[0] = trace.slices.kind[1] = kino::SliceKind::cpu_op;
  if (!reserved.empty()) {
    trace.tracks[1].name = "memory reserved";
    trace.processes[0].gpu = true;
    trace.processes[0].pid = "0";
  }
  kino::ArgumentColumns& of = trace.arguments;
  of.memory_time_ns = kino::Column<std::int64_t>(events.size());
  of.memory_bytes = kino::Column<std::int64_t>(events.size());
  of.memory_address = kino::Column<std::uint64_t>(events.size());
  of.memory_device = kino::Column<std::uint32_t>(events.size());
  of.memory_track = kino::Column<kino::TrackId>(events.size());
  of.memory_total_bytes = kino::Column<std::int64_t>(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    of.memory_time_ns[i] = events[i].time_ns;
    of.memory_bytes[i] = events[i].bytes;
    of.memory_address[i] = events[i].address;
    of.memory_device[i] = events[i].device;
    of.memory_track[i] = kino::TrackId{0};
    of.memory_total_bytes[i] = events[i].total;
  }
  return kino::snapshot_of_trace(trace, kino::default_libraries());
}

TEST_CASE("allocations of a trace live from event to event and have the enclosing operators as stack") {
  const auto snapshot = snapshot_with({{1'000, 100, 0x10}, {11'000, 50, 0x20}, {12'000, -100, 0x10}});
  REQUIRE(snapshot->devices.size() == 1);
  const SnapshotDevice& device = snapshot->devices[0];
  CHECK(device.title == "GPU 0");
  const kino::Allocations& of = device.history.allocations;
  REQUIRE(of.count() == 2);
  CHECK(of.addr[0] == 0x10);
  CHECK(of.begin[0] == 0);
  CHECK(of.end[0] == 2);
  CHECK(of.free_requested[0] == 2);
  CHECK(of.end[1] == kino::kNever);
  CHECK(kino::frame_text(*snapshot, snapshot->stacks.frames(of.stack[0]).front()) == "name 0");
  CHECK(kino::frame_text(*snapshot, snapshot->stacks.frames(of.stack[1]).front()) == "name 1");
  CHECK(device.history.curve(MemoryCurve::requested).peak.bytes == 150);
  CHECK(device.entries.time_us[1] == 1'700'000'000'000'011);
}

TEST_CASE("memory that is freed without an allocation, or left over, is older than the trace") {
  const auto snapshot = snapshot_with({{1'000, 100, 0x10, 1'100}, {2'000, -300, 0x99, 800}});
  const SnapshotDevice& device = snapshot->devices[0];
  const kino::Allocations& of = device.history.allocations;
  REQUIRE(of.count() == 3);
  CHECK(of.origin[0] == AllocationOrigin::ghost);
  CHECK(of.size[0] == 700);
  CHECK(of.origin[1] == AllocationOrigin::freed_only);
  CHECK(of.size[1] == 300);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 0) == 1'100);
  CHECK(kino::curve_at(device, MemoryCurve::requested, 1) == 800);
  CHECK(device.trust.freed_without_alloc == 1);
  CHECK(device.trust.not_in_segments == 0);
  CHECK(device.segments.empty());
}

TEST_CASE("reserved memory follows the allocator's total, per device, the host last") {
  const auto snapshot = snapshot_with({{1'000, 100, 0x10, 100},
                                       {1'500, 64, 0x10, 64, kino::ArgumentColumns::kMemoryHost},
                                       {2'000, 100, 0x20, 200},
                                       {3'000, -100, 0x10, 100}},
                                      {{1'000, 512}, {2'000, 1'024}, {3'000, 256}});
  REQUIRE(snapshot->devices.size() == 2);
  CHECK_FALSE(snapshot->devices[0].host);
  CHECK(snapshot->devices[1].host);
  const SnapshotDevice& device = snapshot->devices[0];
  const kino::CurvePyramid& reserved = device.history.curve(MemoryCurve::reserved);
  CHECK(reserved.start == 512);
  CHECK(reserved.peak.bytes == 1'024);
  const auto last = static_cast<kino::EventIndex>(device.entries.entry_count()) - 1;
  CHECK(kino::curve_at(device, MemoryCurve::reserved, last) == 256);
  CHECK(device.history.allocations.count() == 2);
  CHECK(snapshot->devices[1].history.curve(MemoryCurve::reserved).peak.bytes == 0);
  CHECK(snapshot->devices[1].history.curve(MemoryCurve::requested).peak.bytes == 64);
}

TEST_CASE("without addresses, a free ends the latest allocation of its size") {
  const auto snapshot =
      snapshot_with({{1'000, 100, 7}, {2'000, 100, 7}, {3'000, 60, 7}, {4'000, -100, 7}, {5'000, -40, 7}});
  const kino::Allocations& of = snapshot->devices[0].history.allocations;
  REQUIRE(of.count() == 4);
  CHECK(of.origin[0] == AllocationOrigin::freed_only);
  CHECK(of.size[0] == 40);
  CHECK(of.end[1] == kino::kNever);
  CHECK(of.end[2] == 3);
  CHECK(of.end[3] == kino::kNever);
}

TEST_CASE("a trace without memory events becomes an empty snapshot, and a stopped conversion ends") {
  CHECK(snapshot_with({})->devices.empty());
  CHECK_FALSE(kino::has_memory_events(*kino::TraceFixture().build()));
}

}  // namespace
