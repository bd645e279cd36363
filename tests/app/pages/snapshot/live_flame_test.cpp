// Covers: live_flame
// The flame graph of live allocations, checked against sums over the live set.
#include "app/pages/snapshot_drawer/live_flame.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/memory_plot/allocation_texts.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::FlameDirection;
using kino::Snapshot;
using kino::SnapshotAction;
using kino::StackId;

kino::FrameId frame(Snapshot& snapshot, std::string_view name, std::string_view file, std::int64_t line) {
  kino::SnapshotFrame frame;
  frame.name = snapshot.strings.intern(name);
  frame.file = snapshot.strings.intern(file);
  frame.line = line;
  return snapshot.stacks.intern(frame);
}

/// Two stacks of user code through PyTorch, one of C++ alone, and one that was not recorded.
Snapshot snapshot() {
  Snapshot made;
  const auto unwind = frame(made, "torch::unwind::unwind()", "??", 0);
  const auto call = frame(made, "_PyObject_Call", "??", 0);
  const auto linear = frame(made, "linear", "/x/site-packages/torch/nn/functional.py", 9);
  const auto module = frame(made, "_call_impl", "/x/site-packages/torch/nn/modules/module.py", 7);
  const auto forward = frame(made, "forward", "/home/me/train.py", 5);
  const auto head = frame(made, "head", "/home/me/train.py", 6);
  const auto start = frame(made, "_start", "??", 0);
  const std::vector<kino::FrameId> first{unwind, linear, module, call, forward, start};
  const std::vector<kino::FrameId> second{unwind, call, head, forward, start};
  const std::vector<kino::FrameId> third{unwind, start};
  const StackId a = made.stacks.intern(first);
  const StackId b = made.stacks.intern(second);
  const StackId c = made.stacks.intern(third);
  using Action = SnapshotAction;
  made.devices.push_back(kino_test::device_of({{Action::alloc, 0x1000, 100, 0, a},
                                               {Action::alloc, 0x2000, 30, 0, a},
                                               {Action::alloc, 0x3000, 7, 0, b},
                                               {Action::alloc, 0x4000, 3, 0, c},
                                               {Action::alloc, 0x5000, 2, 0, kino::kNoStack},
                                               {Action::free_completed, 0x9000, 1000, 0, b},
                                               {Action::free_completed, 0x1000, 100, 0, a}}));
  return made;
}

std::string folded(kino::EventIndex event, bool libraries = false,
                   FlameDirection direction = FlameDirection::top_down) {
  const Snapshot made = snapshot();
  return kino::folded_text(kino::live_flame(made, {0, event, direction, libraries}, {"no stack", "older"}));
}

bool has(const std::string& text, std::string_view line) { return text.find(line) != text.npos; }

TEST_CASE("sums bytes per stack and folds libraries to the frame that the user's code called") {
  const std::string text = folded(4);
  CHECK(std::ranges::count(text, '\n') == 5);
  CHECK(has(text, "train.py:5 forward;functional.py:9 linear 130\n"));
  CHECK(has(text, "train.py:5 forward;train.py:6 head;torch::unwind::unwind() 7\n"));
  CHECK(has("\n" + text, "\ntorch::unwind::unwind() 3\n"));
  CHECK(has(text, "no stack 2\n"));
  CHECK(has(text, "older;train.py:5 forward;train.py:6 head;torch::unwind::unwind() 1000\n"));
}

TEST_CASE("contains every library frame if requested, and no freed allocations") {
  const std::string text = folded(6, true);
  CHECK(has(text,
            "_start;train.py:5 forward;_PyObject_Call;module.py:7 _call_impl;functional.py:9 linear;"
            "torch::unwind::unwind() 30\n"));
  CHECK_FALSE(has(text, "1000"));
}

TEST_CASE("contains the same stacks bottom-up") {
  const auto sorted = [](std::string text) {
    std::ranges::sort(text);
    return text;
  };
  CHECK(sorted(folded(4)) == sorted(folded(4, false, FlameDirection::bottom_up)));
}

TEST_CASE("contains only older allocations before the recording") {
  CHECK(std::ranges::count(folded(kino::kBeforeRecording), '\n') == 1);
}

}  // namespace

TEST_CASE("folds library frames around user frames, but not in stacks without user frames") {
  const Snapshot made = snapshot();
  const auto parts = kino::stack_parts(made, StackId{1});
  REQUIRE(parts.size() == 3);  // four library frames, forward, the start
  CHECK(parts[0].count == 4);
  CHECK_FALSE(parts[1].library);
  const auto cpp = kino::stack_parts(made, StackId{3});
  REQUIRE(cpp.size() == 2);
  CHECK(cpp[0].count == 1);
  CHECK(cpp[0].library);
}

TEST_CASE("distinguishes where an older allocation was freed from where it was made") {
  const Snapshot made = snapshot();
  const kino::Allocations& all = made.devices[0].history.allocations;
  REQUIRE(all.origin[0] == kino::AllocationOrigin::freed_only);
  CHECK(kino::place_text(made, all, kino::AllocationId{0}) ==
        "before the recording; freed in train.py:6 head");
  CHECK(kino::place_text(made, all, kino::AllocationId{1}) == "train.py:5 forward");
}
