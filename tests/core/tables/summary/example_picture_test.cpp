// Covers: example_picture
// Pictures of examples: the GPU's streams and the thread behind the example.
#include "core/tables/summary/example_picture.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

constexpr std::int64_t kMicrosecond = 1000;

/// A gap of 100 us between two kernels on stream 7, of which an operator fills 80 us, and work on stream 8.
std::shared_ptr<const Trace> gap() {
  return EventFixture()
      .op("train", 0, 400 * kMicrosecond)
      .op("aten::item", 110 * kMicrosecond, 80 * kMicrosecond)
      .launch(195 * kMicrosecond, 2 * kMicrosecond, 2)
      .kernel("before", 0, 100 * kMicrosecond, 1)
      .kernel("after", 200 * kMicrosecond, 100 * kMicrosecond, 2)
      .kernel("other", 120 * kMicrosecond, 10 * kMicrosecond, 3, "8")
      .build();
}

}  // namespace

TEST_CASE("a picture shows the example with a margin of a fifth on both sides") {
  const auto trace = gap();
  const ExamplePicture picture = example_picture(
      *trace, {{100 * kMicrosecond, 200 * kMicrosecond}, 100 * kMicrosecond, slice_named(*trace, "after")});
  CHECK(picture.range == TimeRange{80 * kMicrosecond, 220 * kMicrosecond});
  CHECK(picture.from == doctest::Approx(20.0 / 140));
  CHECK(picture.to == doctest::Approx(120.0 / 140));
  REQUIRE(picture.lanes.size() >= 2);
  const PictureLane& stream = picture.lanes[0];
  CHECK(stream.gpu);
  REQUIRE(stream.pieces.size() == 2);
  CHECK(stream.pieces[0].slice == slice_named(*trace, "before"));
  CHECK(stream.pieces[0].from == 0);
  CHECK(stream.pieces[0].to == doctest::Approx(20.0 / 140));
  CHECK(stream.pieces[1].slice == slice_named(*trace, "after"));
  CHECK(picture.lanes[1].pieces[0].slice == slice_named(*trace, "other"));
}

TEST_CASE("rows of the launching thread follow, without a row that one slice fills") {
  const auto trace = gap();
  const ExamplePicture picture = example_picture(
      *trace, {{100 * kMicrosecond, 200 * kMicrosecond}, 100 * kMicrosecond, slice_named(*trace, "after")});
  const PictureLane& thread = picture.lanes.back();
  CHECK_FALSE(thread.gpu);
  CHECK(std::ranges::any_of(thread.pieces, [&](const PictureLane::Piece& piece) {
    return piece.slice == slice_named(*trace, "aten::item");
  }));
  for (const PictureLane& lane : picture.lanes) {
    for (const PictureLane::Piece& piece : lane.pieces) CHECK(piece.slice != slice_named(*trace, "train"));
  }
}

TEST_CASE("pieces are disjoint, in order, and at most one per column") {
  EventFixture events;
  for (int i = 0; i < 5000; ++i) events.kernel("k", 10 * i, 7, 0);
  const auto trace = events.build();
  const ExamplePicture picture = example_picture(*trace, {trace->range, 1, SliceId{0}});
  REQUIRE(picture.lanes.size() == 1);
  const auto& pieces = picture.lanes[0].pieces;
  CHECK(pieces.size() <= ExamplePicture::kColumns);
  CHECK(pieces.size() > ExamplePicture::kColumns / 2);
  float end = 0;
  for (const PictureLane::Piece& piece : pieces) {
    CHECK(piece.from >= end);
    CHECK(piece.to > piece.from);
    CHECK(piece.to <= 1);
    end = piece.to;
  }
}

TEST_CASE("a piece names the longest slice of its column, however many begin in it") {
  EventFixture events;
  constexpr int kSlices = 40'000;  // over 100 per column
  constexpr int kLong = 20'090;
  for (int i = 0; i < kSlices; ++i) events.kernel(i == kLong ? "long" : "k", 10 * i, i == kLong ? 9 : 7, 0);
  const auto trace = events.build();
  const ExamplePicture picture = example_picture(*trace, {trace->range, 1, SliceId{0}});
  REQUIRE(picture.lanes.size() == 1);
  CHECK(std::ranges::count(picture.lanes[0].pieces, slice_named(*trace, "long"),
                           &PictureLane::Piece::slice) == 1);
}

TEST_CASE("an example outside of a trace, or in an empty one, has a picture without lanes") {
  const auto empty = EventFixture().build();
  CHECK(example_picture(*empty, {{0, 100}, 0, kNoSlice}).lanes.empty());
  const auto cpu = EventFixture().op("aten::mm", 0, 100).build();
  CHECK(example_picture(*cpu, {{0, 100}, 0, kNoSlice}).lanes.empty());
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  CHECK(example_picture(*cpu, {{kFar, kFar + 10}, 0, SliceId{0}}).lanes.empty());
}
