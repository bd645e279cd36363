// Covers: snapshot_verdict
#include "core/memory/tables/snapshot_verdict.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::Snapshot;
using kino::SnapshotAction;
using kino::SnapshotVerdict;
using kino::SnapshotVerdictKind;
using kino::StackId;

constexpr std::uint64_t kMB = 1'000'000;
constexpr std::uint64_t kSegmentAddress = std::uint64_t{1} << 40;

using EntryRows = std::vector<kino_test::EntryRow>;

/// A snapshot of one device; stack 1 is one frame in train.py.
Snapshot snapshot_of_rows(const EntryRows& rows) {
  Snapshot made;
  made.streams.emplace_back();
  made.pools.emplace_back();
  made.notes.emplace_back();
  kino::SnapshotFrame frame;
  frame.name = made.strings.intern("forward");
  frame.file = made.strings.intern("/me/train.py");
  frame.line = 7;
  const std::vector<kino::FrameId> frames{made.stacks.intern(frame)};
  made.stacks.intern(frames);
  made.devices.push_back(kino_test::device_of(rows));
  return made;
}

SnapshotVerdict verdict_on(const EntryRows& rows) {
  return kino::snapshot_verdict(snapshot_of_rows(rows), 0, kino::default_category_rules(),
                                kino::ByteUnits::decimal);
}

}  // namespace

TEST_CASE("a failed request is the verdict, at its event, with the memory in use") {
  const SnapshotVerdict verdict =
      verdict_on({{SnapshotAction::segment_alloc, kSegmentAddress, 100 * kMB, 0, StackId{1}},
                  {SnapshotAction::alloc, kSegmentAddress, 60 * kMB, 0, StackId{1}},
                  {SnapshotAction::oom, 5 * kMB, 80 * kMB}});
  CHECK(verdict.kind == SnapshotVerdictKind::out_of_memory);
  CHECK(verdict.event == 2);
  CHECK(verdict.headline ==
        "Out of memory: a request for 80.0 MB failed while 60.0 MB were in use and 100 MB were reserved.");
  CHECK(verdict.evidence.str().ends_with("Largest user: train.py:7 forward (60.0 MB)."));
}

TEST_CASE("without a failed request, the verdict is the peak with its place") {
  const SnapshotVerdict verdict =
      verdict_on({{SnapshotAction::segment_alloc, kSegmentAddress, 100 * kMB, 0, StackId{1}},
                  {SnapshotAction::alloc, kSegmentAddress, 60 * kMB, 0, StackId{1}},
                  {SnapshotAction::free_requested, kSegmentAddress, 60 * kMB, 0, StackId{1}},
                  {SnapshotAction::free_completed, kSegmentAddress, 60 * kMB, 0, StackId{1}}});
  CHECK(verdict.kind == SnapshotVerdictKind::peak);
  CHECK(verdict.event == 1);
  CHECK(verdict.headline.str().starts_with("Peak of 60.0 MB."));
  CHECK(verdict.evidence.str().starts_with(
      "Largest user: train.py:7 forward (60.0 MB). Whether memory grows steadily is unknown"));
}

TEST_CASE("if more memory has no stack, the verdict states its size and the reason") {
  SnapshotVerdict verdict =
      verdict_on({{SnapshotAction::segment_alloc, kSegmentAddress, 200 * kMB, 0, StackId{1}},
                  {SnapshotAction::alloc, kSegmentAddress, 60 * kMB, 0, StackId{1}},
                  {SnapshotAction::alloc, kSegmentAddress + 60 * kMB, 90 * kMB, 0, StackId{0}}});
  CHECK(verdict.evidence.str().starts_with(
      "Largest user with a stack: train.py:7 forward (60.0 MB). Allocated without a recorded stack: 90.0 MB."));
  verdict =
      verdict_on({{SnapshotAction::segment_alloc, kSegmentAddress, 200 * kMB, 0, StackId{1}},
                  {SnapshotAction::alloc, kSegmentAddress, 60 * kMB, 0, StackId{1}},
                  {SnapshotAction::free_requested, kSegmentAddress + 60 * kMB, 90 * kMB, 0, StackId{0}},
                  {SnapshotAction::free_completed, kSegmentAddress + 60 * kMB, 90 * kMB, 0, StackId{0}}});
  CHECK(verdict.evidence.str().starts_with(
      "Largest recorded user: train.py:7 forward (60.0 MB). Allocated before the recording: 90.0 MB."));
}

TEST_CASE("a recording without live memory has an empty verdict") {
  const SnapshotVerdict verdict =
      verdict_on({{SnapshotAction::segment_alloc, kSegmentAddress, 100 * kMB, 0, StackId{1}}});
  CHECK(verdict.kind == SnapshotVerdictKind::empty);
  CHECK(verdict.headline == "No memory is allocated.");
  CHECK(verdict.evidence.empty());
}

TEST_CASE("the device with the largest peak is shown first, and the first one if there is none") {
  CHECK(kino::device_of_largest_peak(Snapshot{}) == 0);
  Snapshot snapshot = snapshot_of_rows({{SnapshotAction::alloc, kSegmentAddress, kMB, 0, StackId{1}}});
  snapshot.devices.push_back(
      kino_test::device_of({{SnapshotAction::alloc, kSegmentAddress, 2 * kMB, 0, StackId{1}}}));
  CHECK(kino::device_of_largest_peak(snapshot) == 1);
}
