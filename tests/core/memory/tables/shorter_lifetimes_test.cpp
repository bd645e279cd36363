// Covers: shorter_lifetimes, memory_advice, snapshot_modules
// Shorter lifetimes of allocations, and the remaining peaks.
#include "core/memory/tables/shorter_lifetimes.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/tables/memory_advice.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::EventIndex;
using kino::LifeGap;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::StackId;

struct CodeLine {
  const char* file;
  const char* function;
  std::int64_t line = 1;
};

constexpr CodeLine kMainLine{"/home/me/train.py", "main"};
constexpr CodeLine kModuleCall{"/site-packages/torch/nn/modules/module.py", "_call_impl"};
constexpr CodeLine kAdamStep{"/site-packages/torch/optim/adam.py", "step"};

Snapshot nothing_yet() {
  Snapshot made;
  made.streams.push_back(0);
  made.pools.push_back({});
  made.notes.push_back({});
  return made;
}

/// Innermost first.
StackId code_stack(Snapshot& snapshot, const std::vector<CodeLine>& lines) {
  std::vector<kino::FrameId> frames;
  for (const CodeLine& it : lines) {
    kino::SnapshotFrame frame;
    frame.file = snapshot.strings.intern(it.file);
    frame.name = snapshot.strings.intern(it.function);
    frame.line = it.line;
    frames.push_back(snapshot.stacks.intern(frame));
  }
  return snapshot.stacks.intern(frames);
}

/// Collects allocations and frees; each free has two entries.
class RowsOfSteps {
 public:
  void alloc(std::uint64_t addr, std::uint64_t size, StackId stack) {
    sizes_[addr] = size;
    rows_.push_back({SnapshotAction::alloc, addr, size, {}, stack});
  }
  void free(std::uint64_t addr, StackId stack) {
    rows_.push_back({SnapshotAction::free_requested, addr, sizes_[addr], {}, stack});
    rows_.push_back({SnapshotAction::free_completed, addr, sizes_[addr], {}, stack});
  }
  kino::SnapshotDevice device() const { return kino_test::device_of(rows_); }

 private:
  std::vector<kino_test::EntryRow> rows_;
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

/// Returns live memory without gaps before the first event and after each event, by a naive sum.
std::vector<std::uint64_t> live_with(const kino::SnapshotDevice& device, const std::vector<LifeGap>& gaps) {
  const kino::Allocations& all = device.history.allocations;
  std::vector<std::uint64_t> live;
  for (EventIndex event = kino::kBeforeRecording;
       event < static_cast<EventIndex>(device.entries.entry_count()); ++event) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
      const bool away = std::ranges::any_of(gaps, [&](const LifeGap& gap) {
        return static_cast<std::size_t>(gap.id) == i && gap.from <= event && event < gap.to;
      });
      if (all.begin[i] <= event && event < all.end[i] && !away) sum += all.size[i];
    }
    live.push_back(sum);
  }
  return live;
}

const kino::ShorterLifetimes* life_named(const std::vector<kino::ShorterLifetimes>& all,
                                         std::string_view words) {
  for (const kino::ShorterLifetimes& it : all) {
    if (it.what.str().find(words) != std::string::npos) return &it;
  }
  return nullptr;
}

std::vector<kino::ShorterLifetimes> lives_of(const Snapshot& snapshot) {
  const kino::AllocationClassifier meaning = kino::memory_meaning(snapshot, 0, kino::ByteUnits::decimal);
  return kino::shorter_lifetimes(snapshot, 0, meaning);
}

std::uint64_t shorter_peak(const Snapshot& snapshot, const kino::ShorterLifetimes& of) {
  const kino::SnapshotDevice& device = snapshot.devices.front();
  return kino::peak_with_gaps(device, live_with(device, {}), of.gaps).bytes;
}

/// Three steps: an activation, a gradient that zero_grad frees after the next forward, two concurrent
/// temporaries of the optimizer, and an output that lives until the next one is allocated.
Snapshot three_steps() {
  Snapshot snapshot = nothing_yet();
  const StackId forward = code_stack(snapshot, {{"/home/me/model.py", "forward"}, kMainLine});
  const StackId script = code_stack(snapshot, {kMainLine});
  const StackId backward =
      code_stack(snapshot, {{"/site-packages/torch/autograd/graph.py", "_engine_run_backward"}, kMainLine});
  const StackId adam = code_stack(
      snapshot, {{"/site-packages/torch/optim/adam.py", "_multi_tensor_adam"}, kAdamStep, kMainLine});
  // The free needs another stack than the allocation to count as a free by the optimizer.
  const StackId given_up = code_stack(
      snapshot, {{"/site-packages/torch/optim/adam.py", "_multi_tensor_adam", 9}, kAdamStep, kMainLine});
  const StackId zero =
      code_stack(snapshot, {{"/site-packages/torch/optim/optimizer.py", "zero_grad"}, kMainLine});
  RowsOfSteps rows;
  for (std::uint64_t step = 1; step <= 3; ++step) {
    const std::uint64_t at = step * 0x100000;
    rows.alloc(at + 0x1000, 1000, forward);
    rows.alloc(at + 0x2000, 200, script);
    if (step > 1) rows.free(at - 0x100000 + 0x2000, script);
    if (step > 1) rows.free(at - 0x100000 + 0x3000, zero);
    rows.alloc(at + 0x3000, 400, backward);
    rows.free(at + 0x1000, backward);
    rows.alloc(at + 0x4000, 900, adam);
    rows.alloc(at + 0x5000, 800, adam);
    rows.free(at + 0x4000, given_up);
    rows.free(at + 0x5000, given_up);
  }
  snapshot.devices.push_back(rows.device());
  return snapshot;
}

}  // namespace

TEST_CASE("shortens gradients, temporaries and remains of steps, with the naive peaks") {
  const Snapshot snapshot = three_steps();
  const kino::SnapshotDevice& device = snapshot.devices.front();
  const auto lives = lives_of(snapshot);
  const std::vector<std::uint64_t> live = live_with(device, {});
  CHECK(*std::ranges::max_element(live) == 400 + 200 + 900 + 800);

  const kino::ShorterLifetimes* const gradients = life_named(lives, "set_to_none");
  REQUIRE(gradients != nullptr);
  CHECK(gradients->gaps.size() == 3);  // the last one lasts to the end
  CHECK(shorter_peak(snapshot, *gradients) == 2300);

  const kino::ShorterLifetimes* const lists = life_named(lives, "foreach=False");
  REQUIRE(lists != nullptr);
  CHECK(lists->gaps.size() == 3);
  // Now the peak is after a forward: two outputs, the previous step's gradient, the activation.
  CHECK(shorter_peak(snapshot, *lists) == 1000 + 200 + 200 + 400);

  const kino::ShorterLifetimes* const left = life_named(lives, "at its end");
  REQUIRE(left != nullptr);
  CHECK(left->gaps.size() == 2);
  for (const kino::ShorterLifetimes& of : lives) {
    const std::vector<std::uint64_t> then = live_with(device, of.gaps);
    const kino::CurvePeak peak = kino::peak_with_gaps(device, live, of.gaps);
    CHECK(peak.bytes == *std::ranges::max_element(then));
    CHECK(then[static_cast<std::size_t>(peak.event + 1)] == peak.bytes);
  }
}

TEST_CASE("recomputed layers keep their last output until the next layer is done") {
  Snapshot snapshot = nothing_yet();
  const CodeLine model{"/home/me/model.py", "forward", 20};
  const StackId first =
      code_stack(snapshot, {{"/home/me/block.py", "forward", 5}, kModuleCall, model, kModuleCall, kMainLine});
  const StackId second =
      code_stack(snapshot, {{"/home/me/block.py", "forward", 6}, kModuleCall, model, kModuleCall, kMainLine});
  const StackId backward =
      code_stack(snapshot, {{"/site-packages/torch/autograd/graph.py", "_engine_run_backward"}, kMainLine});
  RowsOfSteps rows;
  for (std::uint64_t layer = 0; layer < 4; ++layer) {
    rows.alloc(0x10000 + layer, 10, first);
    rows.alloc(0x20000 + layer, 7, second);
  }
  for (std::uint64_t layer = 4; layer-- > 0;) {
    rows.alloc(0x30000 + layer, 3, backward);
    rows.free(0x20000 + layer, backward);
    rows.free(0x10000 + layer, backward);
  }
  snapshot.devices.push_back(rows.device());
  const auto lives = lives_of(snapshot);
  const kino::ShorterLifetimes* const again = life_named(lives, "Recompute each of the 4 layers");
  REQUIRE(again != nullptr);
  REQUIRE(again->gaps.size() == 3);  // the last layer's backward begins immediately
  CHECK(again->gaps[0].from == 2);
  CHECK(again->gaps[0].to == 22);  // layer 1 is done
  CHECK(again->gaps[2].to == 12);
  CHECK(shorter_peak(snapshot, *again) == 71 - 30);
}

TEST_CASE("a block that another stream still uses can end at its free") {
  Snapshot snapshot = nothing_yet();
  const StackId script = code_stack(snapshot, {kMainLine});
  snapshot.devices.push_back(
      kino_test::device_of({{SnapshotAction::alloc, 0x1000, 100, {}, script},
                            {SnapshotAction::free_requested, 0x1000, 100, {}, script},
                            {SnapshotAction::alloc, 0x2000, 60, {}, script},
                            {SnapshotAction::free_completed, 0x1000, 100, {}, script}}));
  const auto lives = lives_of(snapshot);
  const kino::ShorterLifetimes* const pending = life_named(lives, "another stream");
  REQUIRE(pending != nullptr);
  CHECK(pending->gaps.size() == 1);
  CHECK(shorter_peak(snapshot, *pending) == 100);
}

TEST_CASE("in a recording without passes, or an empty one, no lifetimes can be shortened") {
  Snapshot snapshot = nothing_yet();
  const StackId script = code_stack(snapshot, {kMainLine});
  snapshot.devices.push_back(kino_test::device_of({{SnapshotAction::alloc, 0x1000, 100, {}, script}}));
  CHECK(lives_of(snapshot).empty());
  snapshot.devices.front() = kino_test::device_of({});
  CHECK(lives_of(snapshot).empty());
}

TEST_CASE("the peak with random gaps equals a naive sum after every event") {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    Snapshot snapshot = nothing_yet();
    const StackId script = code_stack(snapshot, {kMainLine});
    RowsOfSteps rows;
    std::map<std::uint64_t, bool> there;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t addr = 0x1000 * (1 + random() % 8);
      if (there[addr]) {
        rows.free(addr, script);
      } else {
        rows.alloc(addr, 1 + random() % 500, script);
      }
      there[addr] = !there[addr];
    }
    const kino::SnapshotDevice device = rows.device();
    const kino::Allocations& all = device.history.allocations;
    std::vector<LifeGap> gaps;
    for (std::size_t i = 0; i < all.count(); ++i) {
      if (random() % 2 == 0) continue;
      const EventIndex end = std::min(all.end[i], static_cast<EventIndex>(device.entries.entry_count()));
      const auto from = all.begin[i] + static_cast<EventIndex>(random() % 5);
      const auto to = from + static_cast<EventIndex>(random() % 9);
      if (from < end)
        gaps.push_back({kino::AllocationId{static_cast<std::uint32_t>(i)}, from, std::min(to, end)});
    }
    const std::vector<std::uint64_t> then = live_with(device, gaps);
    CHECK(kino::peak_with_gaps(device, live_with(device, {}), gaps).bytes == *std::ranges::max_element(then));
  }
}

TEST_CASE("advice to shorten a lifetime states the remaining peak and the assumption") {
  const Snapshot snapshot = three_steps();
  kino::SnapshotScope scope;
  scope.snapshot = &snapshot;
  const kino::MemoryAdviceList made = kino::advise_memory(scope);
  const auto found = std::ranges::find(made.advices, kino::AdviceKind::lifetime, &kino::MemoryAdvice::kind);
  REQUIRE(found != made.advices.end());
  CHECK(found->what == "Process one tensor at a time in the optimizer (foreach=False)");
  CHECK(found->live.bytes == 1800);
  CHECK(found->place.bytes == 800);
  CHECK(found->place.count == 1);
  CHECK(made.assumed.size() == 1);  // the others do not change the peak
}
