// Covers: snapshot_stacks
// Interned frames and stacks.
#include "core/memory/snapshot_stacks.hpp"

#include <random>

#include <doctest/doctest.h>

using kino::FrameId;
using kino::StackId;

TEST_CASE("equal stacks have one id, and different ones keep their frames") {
  kino::SnapshotStacks stacks;
  CHECK(stacks.intern(std::vector<FrameId>{}) == kino::kEmptyStack);
  CHECK(stacks.frames(kino::kNoStack).empty());
  std::mt19937 random(1);
  std::vector<std::vector<FrameId>> made;
  for (int i = 0; i < 20000; ++i) {
    std::vector<FrameId> frames;
    for (unsigned length = random() % 4; length-- > 0;)
      frames.push_back(FrameId{static_cast<std::uint32_t>(random() % 5)});
    const StackId id = stacks.intern(frames);
    const auto stored = stacks.frames(id);
    REQUIRE(std::vector<FrameId>(stored.begin(), stored.end()) == frames);
    made.push_back(frames);
  }
  CHECK(stacks.stack_count() == 1 + 5 + 25 + 125);
  for (const auto& frames : made) CHECK(stacks.intern(frames) == stacks.intern(frames));
}

TEST_CASE("equal frames have one id") {
  kino::SnapshotStacks stacks;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 500; ++i) {
      kino::SnapshotFrame frame;
      frame.name = i % 50;
      frame.line = i / 50;
      CHECK(stacks.intern(frame) == FrameId{i});
      CHECK(stacks.frame(FrameId{i}) == frame);
    }
  }
  CHECK(stacks.frame_count() == 500);
}
