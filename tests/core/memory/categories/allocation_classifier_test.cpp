// Covers: allocation_classifier, memory_category
// Doubts about the categories of allocations, and reasons without a history.
#include "core/memory/categories/allocation_classifier.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::MemoryCategory;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::StackId;

Snapshot without_devices() {
  Snapshot snapshot;
  snapshot.streams = {0};
  snapshot.pools = {{}};
  snapshot.notes = {{}};
  return snapshot;
}

/// A stack of (file, function), innermost first.
StackId stack_of_calls(Snapshot& snapshot, const std::vector<std::pair<const char*, const char*>>& calls) {
  std::vector<kino::FrameId> frames;
  frames.reserve(calls.size());
  for (const auto& [file, function] : calls) {
    frames.push_back(snapshot.stacks.intern(
        kino::SnapshotFrame{snapshot.strings.intern(function), snapshot.strings.intern(file), 1}));
  }
  return snapshot.stacks.intern(frames);
}

}  // namespace

TEST_CASE("reports doubts about casts larger than half of the largest parameter") {
  const auto doubts_of = [](std::uint64_t cast_bytes) {
    Snapshot snapshot = without_devices();
    const StackId weight = stack_of_calls(
        snapshot, {{"/site-packages/torch/nn/modules/module.py", "_apply"}, {"/me/train.py", "main"}});
    const StackId cast =
        stack_of_calls(snapshot, {{"", "at::autocast::cached_cast"},
                                  {"/me/model.py", "forward"},
                                  {"/site-packages/torch/nn/modules/module.py", "_call_impl"},
                                  {"/me/train.py", "main"}});
    const StackId backward =
        stack_of_calls(snapshot, {{"/site-packages/torch/_tensor.py", "backward"}, {"/me/train.py", "main"}});
    const auto none = kino::SnapshotEntries::kNoTime;
    snapshot.devices.push_back(
        kino_test::device_of({{SnapshotAction::alloc, 0x10000, 4096, none, weight},
                              {SnapshotAction::alloc, 0x20000, 2048, none, cast},
                              {SnapshotAction::alloc, 0x30000, cast_bytes, none, cast},
                              {SnapshotAction::alloc, 0x40000, 512, none, backward},
                              {SnapshotAction::free_requested, 0x30000, cast_bytes, none, backward},
                              {SnapshotAction::free_completed, 0x30000, cast_bytes, none, backward},
                              {SnapshotAction::free_requested, 0x40000, 512, none, backward},
                              {SnapshotAction::free_completed, 0x40000, 512, none, backward}}));
    const kino::AllocationClassifier meaning = kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal);
    CHECK(meaning.category[0] == MemoryCategory::parameters);
    CHECK(meaning.category[1] == MemoryCategory::weight_casts);
    CHECK(meaning.category[2] == MemoryCategory::weight_casts);
    return meaning.doubts;
  };
  CHECK(doubts_of(2048).empty());
  CHECK(kino::english_texts(doubts_of(4096)) ==
        std::vector<std::string>{
            "Casts in the recording that are probably activations: 1 of 2. They are larger than "
            "2.05 kB, half of the largest parameter."});
}

TEST_CASE("reports doubts about three sets of optimizer state without parameters") {
  const auto doubts_of = [](std::uint64_t sets) {
    constexpr std::uint64_t kTensors = 40;
    Snapshot snapshot = without_devices();
    const StackId backward =
        stack_of_calls(snapshot, {{"/site-packages/torch/_tensor.py", "backward"}, {"/me/train.py", "main"}});
    const StackId step = stack_of_calls(snapshot, {{"/me/optimizer.py", "step"}, {"/me/train.py", "main"}});
    const auto none = kino::SnapshotEntries::kNoTime;
    std::vector<kino_test::EntryRow> rows;
    std::uint64_t addr = 0x100000;
    const auto allocate = [&](StackId stack) {
      for (std::uint64_t i = 0; i < kTensors; ++i) {
        rows.push_back({SnapshotAction::alloc, addr, 1024 * (1 + i % 4), none, stack});
        addr += 0x10000;
      }
    };
    allocate(backward);
    for (std::uint64_t i = 0; i < sets; ++i) allocate(step);
    // The next backward ends the optimizer's pass.
    rows.push_back({SnapshotAction::alloc, addr, 512, none, backward});
    rows.push_back({SnapshotAction::free_requested, addr, 512, none, backward});
    rows.push_back({SnapshotAction::free_completed, addr, 512, none, backward});
    snapshot.devices.push_back(kino_test::device_of(rows));
    return kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal).doubts;
  };
  CHECK(doubts_of(2).empty());
  REQUIRE(doubts_of(3).size() == 1);
  CHECK(doubts_of(3).front().str().starts_with(
      "The optimizer state at the end contains 3 sets of tensors with the sizes of the gradients"));
}

TEST_CASE("parameters that a buffer replaces before the first pass are no temporaries") {
  Snapshot snapshot = without_devices();
  const StackId init = stack_of_calls(snapshot, {{"/me/model.py", "__init__"}, {"/me/train.py", "main"}});
  const StackId main = stack_of_calls(snapshot, {{"/me/train.py", "main"}});
  std::vector<kino_test::EntryRow> rows{{kino::SnapshotAction::alloc, 0x1000, 100, 0, init},
                                        {kino::SnapshotAction::alloc, 0x2000, 100, 0, init},
                                        {kino::SnapshotAction::free_completed, 0x2000, 100, 0, init}};
  for (std::uint64_t i = 0; i < 30; ++i)
    rows.push_back({kino::SnapshotAction::alloc, 0x10000 + 0x1000 * i, 100, 0, main});
  rows.push_back({kino::SnapshotAction::free_completed, 0x1000, 100, 0, main});
  for (std::uint64_t i = 30; i < 90; ++i)
    rows.push_back({kino::SnapshotAction::alloc, 0x10000 + 0x1000 * i, 100, 0, main});
  snapshot.devices.push_back(kino_test::device_of(rows));
  const kino::AllocationClassifier meaning = kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal);
  CHECK(meaning.category[0] == MemoryCategory::parameters);
  CHECK(meaning.category[1] == MemoryCategory::script_temporaries);
}

TEST_CASE("live memory in a snapshot without history is not called older than the recording") {
  Snapshot snapshot = without_devices();
  const StackId init = stack_of_calls(snapshot, {{"/me/model.py", "__init__"}, {"/me/train.py", "main"}});
  kino::SnapshotSegment segment;
  segment.addr = 0x10000;
  segment.size = 4096;
  segment.block_count = 2;
  snapshot.devices.push_back(
      kino_test::device_of({}, {segment},
                           {{0x10000, 1024, 1000, init, kino::BlockState::allocated},
                            {0x10400, 3072, 3000, kino::kNoStack, kino::BlockState::allocated}}));
  const kino::AllocationClassifier meaning = kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal);
  REQUIRE(meaning.category.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const kino::Message& why = meaning.whys[meaning.why[i]];
    const bool parameter = meaning.category[i] == MemoryCategory::parameters;
    CHECK(why == (parameter ? "allocated in an __init__, live when the snapshot was taken"
                            : "no history was recorded"));
  }
}
