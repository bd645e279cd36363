// Covers: pass_blocks
// Blocks of passes in folds that are written by hand.
#include "core/tables/layers/pass_blocks.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::LayerPhase;
using kino::PassBlock;
using kino::PassBlocks;
using kino::TimeRange;

/// Writes kernels, some of them in copies of the layers of one stack.
class FoldMaker {
 public:
  FoldMaker(std::uint32_t layers, std::uint32_t passes) {
    stack_.layers = layers;
    stack_.passes.resize(passes);
  }

  /// Adds a copy with one kernel. Copies must be added in order of time.
  kino::LayerCopy& copy(std::uint32_t pass, std::uint32_t layer, std::int64_t start_ns,
                        std::int64_t duration_ns, LayerPhase phase = LayerPhase::forward,
                        const char* stream = "7") {
    kino::LayerCopy copy;
    copy.pass = pass;
    copy.layer = layer;
    copy.phase = phase;
    copy.first = times_.size();
    copy.count = 1;
    copy.span = {start_ns, start_ns + duration_ns};
    events_.kernel("gemm", start_ns, duration_ns, 0, stream);
    times_.push_back(start_ns);
    streams_.push_back(std::string("stream ") + stream);
    stack_.copies.push_back(copy);
    return stack_.copies.back();
  }
  void other(std::int64_t start_ns, std::int64_t duration_ns) {
    events_.kernel("head", start_ns, duration_ns);
  }
  kino::LayerStack& stack() { return stack_; }

  /// `sorted`: whether copies are in the order that layer_stack.hpp states for modules.
  PassBlocks blocks(bool sorted = true) {
    trace_ = events_.build();
    kino::LayerFold fold;
    for (std::size_t i = 0; i < times_.size(); ++i) fold.kernels.push_back(slice_at(streams_[i], times_[i]));
    if (sorted) {
      std::ranges::stable_sort(stack_.copies, {}, [](const kino::LayerCopy& copy) {
        return std::tuple(copy.pass, copy.layer, copy.phase);
      });
    }
    fold.stacks.push_back(stack_);
    return kino::pass_blocks(*trace_, fold);
  }

 private:
  kino::SliceId slice_at(const std::string& stream, std::int64_t start_ns) const {
    for (std::uint32_t i = 0; i < trace_->slice_count(); ++i) {
      const kino::SliceId slice{i};
      if (trace_->start_ns(slice) == start_ns && trace_->track(trace_->track_of(slice)).name == stream)
        return slice;
    }
    FAIL("no slice");
    return kino::kNoSlice;
  }

  kino::EventFixture events_;
  std::vector<std::int64_t> times_;
  std::vector<std::string> streams_;
  kino::LayerStack stack_;
  std::shared_ptr<const kino::Trace> trace_;
};

}  // namespace

TEST_CASE("each pass of a stack is a block with its layers and their median time") {
  FoldMaker made(3, 2);
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    for (std::uint32_t layer = 0; layer < 3; ++layer)
      made.copy(pass, layer, 1000 * pass + 100 * layer, 80 + layer + 10 * pass);
    made.other(1000 * pass + 400, 500);
  }
  const PassBlocks blocks = made.blocks();
  REQUIRE(blocks.tracks.size() == 1);
  REQUIRE(blocks.tracks[0].levels.size() == 1);
  const std::vector<PassBlock>& level = blocks.tracks[0].levels[0];
  REQUIRE(level.size() == 2);
  CHECK(level[0].range == TimeRange{0, 282});
  CHECK(level[1].range == TimeRange{1000, 1292});
  CHECK(level[0].layers == 3);
  CHECK(level[0].median_ns == 81);
  CHECK(level[1].median_ns == 91);
  CHECK(level[1].pass == 1);
  CHECK(level[1].levels == 1);
  CHECK(blocks.marks.empty());
  CHECK(blocks.find(blocks.tracks[0].track) == &blocks.tracks[0]);
  CHECK(blocks.find(kino::TrackId{99}) == nullptr);
}

TEST_CASE("odd and slow executions are marked, and odd ones do not count in the median") {
  FoldMaker made(5, 1);
  for (std::uint32_t layer = 0; layer < 5; ++layer) made.copy(0, layer, 100 * layer, layer == 3 ? 95 : 50);
  made.stack().copies[0].odd = true;
  made.stack().copies[2].odd = true;
  made.stack().slow_cells = {{3, 0}};
  made.stack().slow_layers = {4};
  const PassBlocks blocks = made.blocks();
  REQUIRE(blocks.tracks.size() == 1);
  const PassBlock& block = blocks.tracks[0].levels[0][0];
  CHECK(block.odd == 2);
  CHECK(block.slow == 2);
  CHECK(block.median_ns == 50);
  const auto marks = blocks.marks_of(block);
  REQUIRE(marks.size() == 4);
  CHECK(marks[0].range == TimeRange{0, 50});
  CHECK(marks[1].range == TimeRange{200, 250});
  CHECK_FALSE(marks[1].slow);
  CHECK(marks[2].slow);
  CHECK(marks[2].range == TimeRange{300, 395});
  CHECK(marks[3].range == TimeRange{400, 450});
}

TEST_CASE("the recomputation of a layer is part of its backward pass") {
  FoldMaker made(2, 1);
  made.copy(0, 0, 0, 10);
  made.copy(0, 1, 10, 10);
  made.copy(0, 1, 30, 10, LayerPhase::recompute);
  made.copy(0, 1, 40, 20, LayerPhase::backward);
  made.copy(0, 0, 60, 10, LayerPhase::recompute);
  made.copy(0, 0, 70, 20, LayerPhase::backward);
  const PassBlocks blocks = made.blocks();
  REQUIRE(blocks.tracks.size() == 1);
  const std::vector<PassBlock>& level = blocks.tracks[0].levels[0];
  REQUIRE(level.size() == 2);
  CHECK(level[0].phase == LayerPhase::forward);
  CHECK(level[0].range == TimeRange{0, 20});
  CHECK(level[1].phase == LayerPhase::backward);
  CHECK(level[1].range == TimeRange{30, 90});
  CHECK(level[1].layers == 2);
  CHECK(level[1].median_ns == 30);
}

TEST_CASE("a pass is divided at other slices, but not at idle time or short slices between layers") {
  for (const bool interrupted : {false, true}) {
    FoldMaker made(5, 1);
    for (std::uint32_t layer = 0; layer < 5; ++layer)
      made.copy(0, layer, 100 * layer + (layer > 1 ? 1000 : 0), 80);
    made.other(85, 10);
    if (interrupted) made.other(400, 300);
    const PassBlocks blocks = made.blocks();
    REQUIRE(blocks.tracks.size() == 1);
    const std::vector<PassBlock>& level = blocks.tracks[0].levels[0];
    REQUIRE(level.size() == (interrupted ? 2 : 1));
    CHECK(level[0].layers == (interrupted ? 2 : 5));
    CHECK(level[0].range == TimeRange{0, interrupted ? 180 : 1480});
    if (interrupted) CHECK(level[1].range == TimeRange{1200, 1480});
  }
}

TEST_CASE("a stream has a block if it runs at least half of the layers of the pass") {
  FoldMaker made(4, 2);
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    for (std::uint32_t layer = 0; layer < 4; ++layer) {
      // The first pass runs one layer on another stream, the second pass two.
      made.copy(pass, layer, 1000 * pass + 100 * layer, 80, LayerPhase::forward, layer <= pass ? "8" : "7");
    }
  }
  const PassBlocks blocks = made.blocks();
  REQUIRE(blocks.tracks.size() == 2);
  const auto count = [&](std::size_t track) { return blocks.tracks[track].levels[0].size(); };
  CHECK(count(0) + count(1) == 3);
  for (const kino::TrackBlocks& track : blocks.tracks) {
    for (const PassBlock& block : track.levels[0]) CHECK(block.layers == (block.pass == 0 ? 3 : 2));
  }
}

TEST_CASE("layers of a pass are counted once, also if the copies are not sorted") {
  FoldMaker made(3, 1);
  // All layers are recomputed before any runs backward. Layer 2 runs on the second stream.
  for (std::uint32_t layer = 0; layer < 3; ++layer)
    made.copy(0, layer, 100 * layer, 80, LayerPhase::recompute, layer == 2 ? "8" : "7");
  for (std::uint32_t layer = 0; layer < 3; ++layer)
    made.copy(0, layer, 300 + 100 * layer, 80, LayerPhase::backward, layer == 2 ? "8" : "7");
  const PassBlocks blocks = made.blocks(false);
  REQUIRE(blocks.tracks.size() == 1);
  REQUIRE(blocks.tracks[0].levels[0].size() == 1);
  CHECK(blocks.tracks[0].levels[0][0].layers == 2);
  CHECK(blocks.tracks[0].levels[0][0].range == TimeRange{0, 480});
}

TEST_CASE("blocks that overlap in time share the height of the track, but slight overlaps are cut") {
  FoldMaker made(2, 3);
  made.copy(0, 0, 0, 400);
  made.copy(1, 0, 400, 400);
  made.copy(0, 1, 800, 400);
  made.copy(1, 1, 1200, 610);
  made.copy(2, 0, 1800, 400);
  made.copy(2, 1, 2200, 400);
  const PassBlocks blocks = made.blocks();
  REQUIRE(blocks.tracks.size() == 1);
  const auto& levels = blocks.tracks[0].levels;
  REQUIRE(levels.size() == 2);
  REQUIRE(levels[0].size() == 2);
  REQUIRE(levels[1].size() == 1);
  CHECK(levels[0][0].levels == 2);
  CHECK(levels[1][0].levels == 2);
  CHECK(levels[1][0].level == 1);
  CHECK(levels[0][1].levels == 1);
  CHECK(levels[0][1].range == TimeRange{1810, 2600});
}

TEST_CASE("blocks of random passes keep all layers, and those of a level are in order without overlap") {
  std::mt19937 random(41);
  for (int round = 0; round < 20; ++round) {
    FoldMaker made(6, 8);
    std::int64_t at_ns = 0;
    std::size_t copies = 0;
    for (std::uint32_t pass = 0; pass < 8; ++pass) {
      for (std::uint32_t layer = 0; layer < 6; ++layer) {
        if (layer > 1 && random() % 5 == 0) continue;
        const auto length_ns = static_cast<std::int64_t>(1 + random() % 90);
        made.copy(pass, layer, at_ns, length_ns).odd = random() % 7 == 0;
        ++copies;
        at_ns += length_ns + static_cast<std::int64_t>(random() % 30);
      }
    }
    const PassBlocks blocks = made.blocks();
    std::size_t layers = 0;
    std::size_t marked = 0;
    for (const kino::TrackBlocks& track : blocks.tracks) {
      for (const std::vector<PassBlock>& level : track.levels) {
        for (std::size_t i = 0; i < level.size(); ++i) {
          layers += level[i].layers;
          marked += level[i].odd;
          CHECK(level[i].range.length_ns() > 0);
          CHECK(blocks.marks_of(level[i]).size() == level[i].odd);
          if (i > 0) CHECK(level[i - 1].range.end_ns <= level[i].range.begin_ns);
        }
      }
    }
    CHECK(layers == copies);
    CHECK(marked == blocks.marks.size());
  }
}

TEST_CASE("a fold without stacks has no blocks") {
  kino::EventFixture events;
  const auto trace = events.kernel("gemm", 0, 10).build();
  CHECK(kino::pass_blocks(*trace, kino::LayerFold{}).tracks.empty());
}
