// Covers: shown_blocks, layer_texts
// Positions and labels of folded passes.
#include "app/ui/layers/shown_blocks.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/layers/layer_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::PassBlock;
using kino::ShownBlock;
using kino::TimeRange;
using kino::TimeView;

PassBlock block_of_layers(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t layers) {
  PassBlock block;
  block.range = {begin_ns, end_ns};
  block.layers = layers;
  block.median_ns = 1'320'000;
  return block;
}

}  // namespace

TEST_CASE("a pass is folded while its layers are too narrow to read") {
  const PassBlock block = block_of_layers(0, 24'000, 24);
  CHECK(kino::is_folded(block, {0, 100, 1000}, 30));  // 10 px per layer
  CHECK_FALSE(kino::is_folded(block, {0, 25, 1000}, 30));
}

TEST_CASE("blocks begin and end at their times, and blocks out of view are omitted") {
  const std::vector<PassBlock> level{block_of_layers(0, 900, 24), block_of_layers(1000, 1900, 24),
                                     block_of_layers(2000, 2900, 24), block_of_layers(4000, 4900, 24)};
  std::vector<ShownBlock> shown;
  kino::add_folded_blocks(level, {950, 10, 200}, 30, shown);
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].block == &level[1]);
  CHECK(shown[0].box.left == 5);
  CHECK(shown[0].box.right == 95);
  CHECK(shown[1].box.left == 105);
  CHECK_FALSE(shown[1].narrow);
}

TEST_CASE("narrow blocks that touch are drawn as one, wherever a block is") {
  std::mt19937 random(7);
  std::vector<PassBlock> level;
  std::int64_t at_ns = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto length_ns = static_cast<std::int64_t>(10 + random() % 90);
    level.push_back(block_of_layers(at_ns, at_ns + length_ns, 24));
    at_ns += length_ns + static_cast<std::int64_t>(random() % 100 == 0 ? 20'000 : random() % 40);
  }
  const TimeView view{0, static_cast<double>(at_ns) / 1000, 1000};
  std::vector<ShownBlock> shown;
  kino::add_folded_blocks(level, view, 30, shown);
  CHECK(shown.size() < 500);
  std::vector<char> drawn(1002);
  for (const ShownBlock& block : shown) {
    for (auto px = static_cast<int>(block.box.left); px < static_cast<int>(block.box.right); ++px)
      drawn[static_cast<std::size_t>(px)] = 1;
  }
  for (const PassBlock& block : level) {
    const double middle = 0.5 * static_cast<double>(block.range.begin_ns + block.range.end_ns);
    const auto px = static_cast<std::size_t>(view.px_from_ns(middle));
    CHECK((drawn[px] != 0 || drawn[px + 1] != 0 || (px > 0 && drawn[px - 1] != 0)));
  }
  CHECK(std::ranges::count(drawn, 0) > 0);  // the long gaps remain
}

TEST_CASE("a click shows the whole pass if its layers then unfold, else a part around the mouse") {
  const PassBlock few = block_of_layers(1000, 25'000, 24);
  CHECK(kino::unfolding_range(few, 2000, 1000, 30) == few.range);
  const PassBlock many = block_of_layers(1000, 97'000, 96);
  const TimeRange part = kino::unfolding_range(many, 50'000, 1000, 30);
  CHECK(part.begin_ns < 50'000);
  CHECK(part.end_ns > 50'000);
  const TimeView view{static_cast<double>(part.begin_ns), static_cast<double>(part.length_ns()) / 1000, 1000};
  CHECK_FALSE(kino::is_folded(many, view, 30));
  CHECK(kino::unfolding_range(many, 1000, 1000, 30).begin_ns == 1000);
  CHECK(kino::unfolding_range(many, 97'000, 1000, 30).end_ns == 97'000);
}

TEST_CASE("a block covers the lanes of its stream, and is found under the mouse") {
  kino::EventFixture events;
  for (int i = 0; i < 24; ++i) events.kernel("gemm", 1000 + 100 * i, 90);
  events.kernel("head", 5000, 5000);
  const auto trace = events.build();
  kino::TimelineState state(trace);
  state.place(0, 0, 1240, 700);
  state.navigation.show({trace->content.begin_ns, trace->content.end_ns});
  kino::PassBlocks blocks;
  const kino::TrackId track = trace->track_of(kino::SliceId{0});
  const std::int64_t begin_ns = trace->start_ns(kino::SliceId{0});
  PassBlock block = block_of_layers(begin_ns, begin_ns + 2400, 24);
  blocks.tracks.push_back({track, {{block}}});
  const std::vector<ShownBlock> shown = kino::shown_blocks(state, blocks);
  REQUIRE(shown.size() == 1);
  const auto lane = state.lane_of(kino::SliceId{0});
  REQUIRE(lane);
  CHECK(shown[0].box.top == doctest::Approx(state.boxes.tracks.top + lane->y_px));
  CHECK(shown[0].box.height() == doctest::Approx(lane->height_px - state.layout.measures().gap_px));
  const float x = (shown[0].box.left + shown[0].box.right) / 2;
  const float y = shown[0].box.top + 2;
  CHECK(kino::block_at(state, blocks, x, y) == &blocks.tracks[0].levels[0][0]);
  CHECK(kino::block_at(state, blocks, shown[0].box.right + 5, y) == nullptr);
  CHECK(kino::block_at(state, blocks, x, shown[0].box.bottom + 2) == nullptr);
  state.arrangement.set_hidden(index_of(track), true);
  state.layout_stale = true;
  state.place(0, 0, 1240, 700);
  CHECK(kino::shown_blocks(state, blocks).empty());
}

TEST_CASE("the label of a block has the number of layers, their name and their median time") {
  kino::LayerStack stack;
  stack.passes.resize(1);
  const PassBlock block = block_of_layers(0, 40'000'000, 24);
  CHECK(kino::block_label(stack, block) == "24 layers, p50 1.32 ms");
  stack.layers_per_copy = 2;
  CHECK(kino::block_label(stack, block) == "24 x 2 layers, p50 1.32 ms");
  stack.container = "layers";
  CHECK(kino::block_label(stack, block) == "24 x layers, p50 1.32 ms");
  stack.container = "Qwen2Model_0";
  stack.module_class = "Qwen2DecoderLayer";
  CHECK(kino::block_label(stack, block) == "24 x Qwen2DecoderLayer, p50 1.32 ms");
}

TEST_CASE("the tooltip of a block names the pass, its times, and its odd and slow copies") {
  kino::LayerStack stack;
  stack.container = "Qwen2Model_0";
  stack.module_class = "Qwen2DecoderLayer";
  stack.passes.push_back({7, 1});
  PassBlock block = block_of_layers(0, 40'000'000, 24);
  block.phase = kino::LayerPhase::backward;
  block.odd = 3;
  const std::string words = kino::block_description(stack, block);
  for (const char* part : {"24 x Qwen2DecoderLayer", "Qwen2Model_0.Qwen2DecoderLayer", "step 7, microbatch 1",
                           "Backward pass", "40 ms", "1.32 ms", "odd executions: 3 of 24"})
    CHECK_MESSAGE(words.find(part) != std::string::npos, part, " is not in ", words);
  CHECK(words.find("slow") == std::string::npos);
  block.slow = 2;
  CHECK(kino::block_description(stack, block).find("slow executions: 2 of 24") != std::string::npos);
}
