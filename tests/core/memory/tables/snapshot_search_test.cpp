// Covers: snapshot_search
#include "core/memory/tables/snapshot_search.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/memory/categories/allocation_classifier.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::Snapshot;
using kino::SnapshotAction;
using kino::StackId;

/// Stacks of a script, a forward, a backward and an optimizer.
struct PhaseStacks {
  StackId script{};
  StackId forward{};
  StackId block{};  // also in a forward
  StackId backward{};
  StackId optimizer{};
};

Snapshot with_phases(PhaseStacks& of) {
  Snapshot made;
  made.streams.push_back(0);
  made.pools.push_back({});
  made.notes.push_back({});
  const auto stack = [&](const char* file, const char* function) {
    kino::SnapshotFrame inner;
    inner.file = made.strings.intern(file);
    inner.name = made.strings.intern(function);
    kino::SnapshotFrame script;
    script.file = made.strings.intern("/home/me/train.py");
    script.name = made.strings.intern("main");
    const std::vector<kino::FrameId> frames{made.stacks.intern(inner), made.stacks.intern(script)};
    return made.stacks.intern(frames);
  };
  of.script = stack("/home/me/data.py", "load");
  of.forward = stack("/home/me/model.py", "forward");
  of.block = stack("/home/me/block.py", "forward");
  of.backward = stack("/site-packages/torch/autograd/graph.py", "_engine_run_backward");
  of.optimizer = stack("/site-packages/torch/optim/adam.py", "step");
  return made;
}

std::vector<std::uint32_t> numbers_found(const Snapshot& snapshot, const char* text) {
  const auto query = kino::SnapshotQuery::compile(text, snapshot, 0);
  REQUIRE(query.ok());
  std::vector<std::uint32_t> numbers;
  for (const kino::AllocationId id :
       kino::find_in_snapshot(query.value(), snapshot.devices.front()).allocations)
    numbers.push_back(static_cast<std::uint32_t>(id));
  return numbers;
}

std::vector<kino::EventIndex> events_found(const Snapshot& snapshot, const char* text) {
  const auto query = kino::SnapshotQuery::compile(text, snapshot, 0);
  REQUIRE(query.ok());
  return kino::find_in_snapshot(query.value(), snapshot.devices.front()).events;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("finds allocations by the phase that made them, by fate and by confidence") {
  PhaseStacks of;
  Snapshot snapshot = with_phases(of);
  using Action = SnapshotAction;
  snapshot.devices.push_back(kino_test::device_of({
      {Action::alloc, 0x1000, 512, 1, of.forward},            // 0: an activation
      {Action::alloc, 0x2000, 512, 2, of.forward},            // 1: a temporary
      {Action::free_requested, 0x2000, 512, 3, of.block},     //
      {Action::free_completed, 0x2000, 512, 4, of.block},     //
      {Action::alloc, 0x3000, 512, 5, of.backward},           // 2: a gradient
      {Action::free_requested, 0x1000, 512, 6, of.backward},  //
      {Action::free_completed, 0x1000, 512, 7, of.backward},  //
      {Action::alloc, 0x4000, 512, 8, of.optimizer},          // 3: optimizer state
      {Action::alloc, 0x5000, 512, 9, of.script},             // 4
  }));
  CHECK(numbers_found(snapshot, "phase:forward") == Numbers{0, 1});
  CHECK(numbers_found(snapshot, "phase:backward") == Numbers{2});
  CHECK(numbers_found(snapshot, "phase:optimizer") == Numbers{3});
  CHECK(numbers_found(snapshot, "phase:Script") == Numbers{4});
  CHECK(numbers_found(snapshot, "fate:temporary") == Numbers{1});
  CHECK(numbers_found(snapshot, "fate:backward") == Numbers{0});
  CHECK(numbers_found(snapshot, "fate:kept") == Numbers{2, 3, 4});
  CHECK(numbers_found(snapshot, "-fate:kept phase:forward") == Numbers{0, 1});
  CHECK(numbers_found(snapshot, "sure:certain") == Numbers{0});
  CHECK(events_found(snapshot, "action:free phase:backward") == std::vector<kino::EventIndex>{5, 6});
  CHECK(events_found(snapshot, "action:alloc phase:forward") == std::vector<kino::EventIndex>{0, 1});
  CHECK(numbers_found(snapshot, "layer:0").empty());
  // Known meaning is reused.
  const auto meaning = std::make_shared<const kino::AllocationClassifier>(
      kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal));
  CHECK(kino::SnapshotQuery::compile("sure:certain", snapshot, 0, {}, meaning)
            .value()
            .matches(kino::AllocationId{0}));
}

TEST_CASE("every allocation has one fate and one confidence, on random recordings") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    PhaseStacks of;
    Snapshot snapshot = with_phases(of);
    const std::vector<StackId> stacks{of.script, of.forward, of.backward, of.optimizer};
    std::vector<kino_test::EntryRow> rows;
    std::map<std::uint64_t, std::uint64_t> live;
    for (int i = 0; i < 200; ++i) {
      const StackId stack = stacks[static_cast<std::size_t>(i) / 10 % stacks.size()];
      const std::uint64_t addr = (1 + random() % 12) * 4096;
      if (live.contains(addr)) {
        rows.push_back({SnapshotAction::free_requested, addr, live[addr], i, stack});
        rows.push_back({SnapshotAction::free_completed, addr, live[addr], i, stack});
        live.erase(addr);
      } else {
        live[addr] = 512;
        rows.push_back({SnapshotAction::alloc, addr, 512, i, stack});
      }
    }
    snapshot.devices.push_back(kino_test::device_of(rows));
    const std::size_t count = snapshot.devices.front().history.allocations.count();
    std::size_t fates = 0;
    for (const char* fate : {"fate:kept", "fate:temporary", "fate:forward", "fate:backward", "fate:optimizer",
                             "fate:zero_grad", "fate:script"})
      fates += numbers_found(snapshot, fate).size();
    CHECK(fates == count);
    CHECK(numbers_found(snapshot, "fate:kept") == numbers_found(snapshot, "lives:end"));
    std::size_t sure = 0;
    for (const char* word : {"sure:certain", "sure:likely", "sure:guess", "sure:unknown"})
      sure += numbers_found(snapshot, word).size();
    CHECK(sure == count);
    std::size_t phases = 0;
    for (const char* phase :
         {"phase:script", "phase:forward", "phase:backward", "phase:optimizer", "phase:zero_grad"})
      phases += numbers_found(snapshot, phase).size();
    CHECK(phases == count);
  }
}

TEST_CASE("an unknown value of a key lists the known ones") {
  PhaseStacks of;
  Snapshot snapshot = with_phases(of);
  snapshot.devices.push_back(kino_test::device_of({}));
  for (const char* text : {"phase:sideways", "fate:", "fate:x", "sure:very", "layer:x", "layer>x"}) {
    const auto query = kino::SnapshotQuery::compile(text, snapshot, 0);
    // A key without a value is a plain word.
    if (std::string(text) == "fate:") {
      CHECK(query.ok());
    } else {
      CHECK_FALSE(query.ok());
    }
  }
  CHECK(kino::SnapshotQuery::compile("phase:x", snapshot, 0).error().what ==
        "phase: must be forward, backward, optimizer, zero_grad or script");
}
