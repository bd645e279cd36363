// Covers: oom_analysis
#include "core/memory/tables/oom_analysis.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::OomAnalysis;
using kino::OomRemedy;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::StackId;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr std::uint64_t kBase = std::uint64_t{1} << 40;

using EntryRows = std::vector<kino_test::EntryRow>;

/// A segment of 100 MB: a used block of 30 MB, a hole of 20 MB, another used block of 30 MB, and free memory.
EntryRows holes() {
  return {{SnapshotAction::segment_alloc, kBase, 100 * kMega, 0, StackId{9}},
          {SnapshotAction::alloc, kBase, 30 * kMega, 0, StackId{1}},
          {SnapshotAction::alloc, kBase + 50 * kMega, 30 * kMega, 0, StackId{2}}};
}

/// Stack n is a PyTorch frame of its own, called from the user's file n.py; stack 8 is called from 2.py.
Snapshot with_stacks() {
  Snapshot made;
  for (std::uint32_t n = 1; n < 10; ++n) {
    kino::SnapshotFrame inner;
    inner.name = made.strings.intern("inner" + std::to_string(n));
    inner.file = made.strings.intern("/site-packages/torch/x.py");
    kino::SnapshotFrame user;
    user.name = made.strings.intern("f");
    user.file = made.strings.intern((n == 8 ? "2" : std::to_string(n)) + ".py");
    const std::vector<kino::FrameId> frames{made.stacks.intern(inner), made.stacks.intern(user)};
    made.stacks.intern(frames);
  }
  return made;
}

OomAnalysis after(EntryRows rows, std::uint64_t asked, std::uint64_t device_free) {
  rows.push_back({SnapshotAction::oom, device_free, asked});
  const auto event = static_cast<kino::EventIndex>(rows.size()) - 1;
  return kino::analyze_oom(with_stacks(), kino_test::device_of(rows), event);
}

std::vector<OomRemedy> remedies(const OomAnalysis& autopsy) {
  std::vector<OomRemedy> found;
  for (const kino::OomFix& way : autopsy.ways) found.push_back(way.remedy);
  return found;
}

using Remedies = std::vector<OomRemedy>;

TEST_CASE("free blocks that suffice only together are reported as fragmentation") {
  const OomAnalysis autopsy = after(holes(), 40 * kMega, 5 * kMega);
  CHECK(autopsy.asked == 40 * kMega);
  CHECK(autopsy.device_free == 5 * kMega);
  CHECK(autopsy.active == 60 * kMega);
  CHECK(autopsy.memory.reserved == 100 * kMega);
  CHECK(autopsy.own_free == 40 * kMega);
  CHECK(autopsy.own_largest_free == 20 * kMega);
  CHECK(remedies(autopsy) == Remedies{OomRemedy::one_piece, OomRemedy::all_returned});
  CHECK(autopsy.missing == 0);
}

TEST_CASE("memory that a place freed later is not attributed to it as allocation") {
  EntryRows rows = holes();
  rows.push_back({SnapshotAction::oom, 0, 200 * kMega});
  rows.push_back({SnapshotAction::free_requested, 3 * kBase, 70 * kMega, 0, StackId{1}});
  rows.push_back({SnapshotAction::free_completed, 3 * kBase, 70 * kMega, 0, StackId{1}});
  const OomAnalysis autopsy = kino::analyze_oom(with_stacks(), kino_test::device_of(rows), 3);
  REQUIRE(autopsy.places.size() == 3);
  CHECK(autopsy.places[0].of_free);
  CHECK(autopsy.places[0].bytes == 70 * kMega);
  CHECK_FALSE(autopsy.places[1].of_free);
  CHECK(autopsy.places[1].bytes == 30 * kMega);
}

TEST_CASE("free memory inside and outside of the allocator may suffice only together") {
  const OomAnalysis autopsy = after(holes(), 44 * kMega, 5 * kMega);
  CHECK(remedies(autopsy) == Remedies{OomRemedy::all_returned});
  CHECK(autopsy.ways[0].bytes == 40 * kMega);
}

TEST_CASE("blames places whose memory would have sufficed, the smallest first") {
  EntryRows rows = holes();
  rows.push_back({SnapshotAction::segment_alloc, 2 * kBase, 50 * kMega, 0, StackId{9}});
  rows.push_back({SnapshotAction::alloc, 2 * kBase, 25 * kMega, 0, StackId{8}});
  rows.push_back({SnapshotAction::alloc, 2 * kBase + 25 * kMega, 25 * kMega, 0, StackId{3}});
  const OomAnalysis autopsy = after(rows, 72 * kMega, 5 * kMega);
  REQUIRE(remedies(autopsy) == Remedies{OomRemedy::without_place, OomRemedy::without_place});
  CHECK(autopsy.ways[0].bytes == 30 * kMega);
  CHECK(autopsy.ways[1].bytes == 55 * kMega);
  CHECK(autopsy.ways[1].place.count == 2);
  REQUIRE(autopsy.places.size() == 3);
  CHECK(autopsy.places[0].bytes == 55 * kMega);
  CHECK(autopsy.places[2].bytes == 25 * kMega);
  CHECK(autopsy.missing == 27 * kMega);
}

TEST_CASE("a free pending for a stream is memory that came too late") {
  EntryRows rows = holes();
  rows.push_back({SnapshotAction::alloc, kBase + 90 * kMega, 512, 0, StackId{3}});
  rows.push_back({SnapshotAction::free_completed, kBase + 90 * kMega, 512});
  rows.push_back({SnapshotAction::free_requested, kBase, 30 * kMega});
  const OomAnalysis autopsy = after(rows, 72 * kMega, 5 * kMega);
  REQUIRE(!autopsy.ways.empty());
  CHECK(autopsy.ways[0].remedy == OomRemedy::pending_done);
  CHECK(autopsy.ways[0].bytes == 30 * kMega);
  CHECK(autopsy.missing == 0);
}

TEST_CASE("memory of other streams and of private pools cannot serve the request") {
  kino::SnapshotDevice device = kino_test::device_of(
      {{SnapshotAction::segment_alloc, kBase, 100 * kMega}, {SnapshotAction::oom, 5 * kMega, 40 * kMega}});
  device.entries.stream[0] = 3;
  kino::build_history(device);
  OomAnalysis autopsy = kino::analyze_oom(with_stacks(), device, 1);
  CHECK(autopsy.own_free == 0);
  CHECK(remedies(autopsy) == Remedies{OomRemedy::other_streams, OomRemedy::all_returned});
  device.entries.stream[0] = 0;
  device.entries.pool[0] = 1;
  kino::build_history(device);
  autopsy = kino::analyze_oom(with_stacks(), device, 1);
  CHECK(autopsy.private_reserved == 100 * kMega);
  CHECK(autopsy.private_free == 100 * kMega);
  CHECK(remedies(autopsy) == Remedies{OomRemedy::other_pools, OomRemedy::all_returned});
}

TEST_CASE("if nothing would have sufficed, reports the missing bytes") {
  const OomAnalysis autopsy = after(holes(), 1000 * kMega, 5 * kMega);
  CHECK(autopsy.ways.empty());
  CHECK(autopsy.missing == 955 * kMega);
  const OomAnalysis empty = after({}, 10, 0);
  CHECK(empty.ways.empty());
  CHECK(empty.places.empty());
  CHECK(empty.missing == 10);
}

TEST_CASE("finds all out-of-memory errors of a device, up to a limit") {
  EntryRows rows = holes();
  for (int i = 0; i < 5; ++i) rows.push_back({SnapshotAction::oom, 1, 2});
  const kino::SnapshotDevice device = kino_test::device_of(rows);
  const auto all = kino::analyze_ooms(with_stacks(), device, 10);
  REQUIRE(all.size() == 5);
  CHECK(all[4].event == 7);
  CHECK(kino::analyze_ooms(with_stacks(), device, 2).size() == 2);
  std::stop_source stopped;
  stopped.request_stop();
  CHECK(kino::analyze_ooms(with_stacks(), device, 10, stopped.get_token()).empty());
}

}  // namespace
