// Covers: timeline_state
// The place of the inspector on the right of the tracks, and the drawer beside it.
#include "app/ui/view/timeline_state.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include "core/trace/timeline/stream_annotations.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

namespace page = kino::drawer_page;
using kino::TimelineState;

TimelineState state_of_one_slice() {
  kino::EventFixture events;
  events.op("aten::mm", 0, 1000);
  return TimelineState(events.build());
}

constexpr kino::EventRef kFirst{kino::SliceId{0}, kino::kNoInstant};

}  // namespace

TEST_CASE("pages from 1440 px on have an inspector, from 2560 px on a wide one") {
  TimelineState state = state_of_one_slice();
  state.verdict_px = 66;
  state.place(0, 30, 1439, 870);
  CHECK_FALSE(state.inspector_shown);
  CHECK(state.boxes.inspector.width() == 0);
  CHECK(state.boxes.tracks.right == 1439);
  state.place(0, 30, 1440, 870);
  CHECK(state.inspector_shown);
  CHECK(state.boxes.inspector.width() == 324);
  CHECK(state.boxes.inspector.right == 1440);
  CHECK(state.boxes.inspector.top == 96);
  CHECK(state.boxes.inspector.bottom == 900);
  CHECK(state.boxes.verdict.right == 1440);
  for (const kino::Box* const box : {&state.boxes.overview, &state.boxes.ruler, &state.boxes.tracks,
                                     &state.boxes.scrollbar, &state.boxes.legend, &state.boxes.drawer})
    CHECK(box->right == 1440 - 324);
  state.place(0, 30, 2560, 870);
  CHECK(state.boxes.inspector.width() == 420);
  state.scale = 2;
  state.place(0, 30, 2560, 870);
  CHECK_FALSE(state.inspector_shown);
}

TEST_CASE("the tracks end with a whole row, and the scrollbar keeps the whole height") {
  kino::EventFixture events;
  constexpr int kDepth = 40;
  for (int i = 0; i < kDepth; ++i) events.op("aten::mm", 10 * i, 1000 - 20 * i);
  TimelineState state(events.build());
  bool cut = false;
  for (int height = 400; height < 430; ++height) {
    state.place(0, 0, 1000, static_cast<float>(height));
    const kino::Box& tracks = state.boxes.tracks;
    CHECK(state.boxes.headers.bottom == tracks.bottom);
    CHECK(tracks.bottom <= state.boxes.scrollbar.bottom);
    cut = cut || tracks.bottom < state.boxes.scrollbar.bottom;
    const auto bar = kino::scrollbar_of(state, false);
    REQUIRE(bar);
    CHECK(bar->box.bottom == state.boxes.scrollbar.bottom);
  }
  CHECK(cut);
  state.place(0, 0, 1000, 413);
  state.scroll.scroll_to(1e6);  // up to the limit for this height
  state.place(0, 0, 1000, 413);
  CHECK(state.boxes.tracks.bottom == state.boxes.scrollbar.bottom);
}

TEST_CASE("a picture leaves out the verdict and the inspector, which have not been drawn yet") {
  TimelineState state = state_of_one_slice();
  state.verdict_px = 66;
  state.place(0, 30, 1600, 870);
  const kino::Box picture = state.boxes.picture();
  CHECK(picture.top == 96);
  CHECK(picture.top == state.boxes.overview.top);
  CHECK(picture.right == state.boxes.inspector.left);
  CHECK(picture.bottom == state.boxes.tracks.bottom);
}

TEST_CASE("an inspector that the user has closed leaves its room to the tracks") {
  TimelineState state = state_of_one_slice();
  state.inspector_wanted = false;
  state.place(0, 0, 1600, 900);
  CHECK_FALSE(state.inspector_shown);
  CHECK(state.boxes.tracks.right == 1600);
}

TEST_CASE("a selection opens the drawer only where no inspector shows it") {
  TimelineState narrow = state_of_one_slice();
  narrow.place(0, 0, 1280, 720);
  narrow.choose(kFirst, false);
  CHECK(narrow.drawer.shows(page::kSelection));

  TimelineState wide = state_of_one_slice();
  wide.place(0, 0, 1600, 900);
  wide.choose(kFirst, false);
  CHECK_FALSE(wide.drawer.open);
  wide.drawer.show(page::kTables);
  wide.turn_to_selection();
  CHECK(wide.drawer.shows(page::kTables));
  narrow.drawer.show(page::kTables);
  narrow.turn_to_selection();
  CHECK(narrow.drawer.shows(page::kSelection));
}

TEST_CASE("the key of the drawer shows a page that the inspector does not show") {
  TimelineState state = state_of_one_slice();
  state.place(0, 0, 1600, 900);
  state.toggle_drawer();
  CHECK(state.drawer.shows(page::kTables));
  state.drawer.show(page::kFlame);
  state.toggle_drawer();
  state.toggle_drawer();
  CHECK(state.drawer.shows(page::kFlame));
}

TEST_CASE(
    "the key of the drawer hides and shows both panels, but leaves the inspector when it ends the full size") {
  TimelineState state = state_of_one_slice();
  state.place(0, 0, 1600, 900);
  state.toggle_drawer();
  CHECK(state.drawer.open);
  CHECK(state.inspector_wanted);
  state.toggle_drawer();
  CHECK_FALSE(state.drawer.open);
  CHECK_FALSE(state.inspector_wanted);
  state.toggle_drawer();
  CHECK(state.inspector_wanted);
  state.drawer.fill(page::kTables);
  state.toggle_drawer();
  CHECK_FALSE(state.drawer.open);
  CHECK(state.inspector_wanted);
}

TEST_CASE("a page of the drawer opens at 27 % of the height, or at its own height") {
  TimelineState state = state_of_one_slice();
  state.place(0, 0, 1280, 1000);
  CHECK(state.boxes.drawer.height() == kino::kDrawerBarPx);
  state.drawer.show(page::kFlame);
  state.place(0, 0, 1280, 1000);
  CHECK(state.boxes.drawer.height() == 270);
  state.drawer.set_height(400);
  state.place(0, 0, 1280, 1000);
  CHECK(state.boxes.drawer.height() == 400);
  state.drawer.show(page::kHits);
  state.place(0, 0, 1280, 1000);
  CHECK(state.boxes.drawer.height() == 270);
}

TEST_CASE("a drawer that fills the page covers the inspector, and the tracks keep their width") {
  TimelineState state = state_of_one_slice();
  state.place(0, 0, 1600, 900);
  const float width = state.boxes.tracks.width();
  state.drawer.fill(page::kTables);
  state.place(0, 0, 1600, 900);
  CHECK(state.boxes.drawer.right == 1600);
  CHECK(state.boxes.inspector.top > 900);
  CHECK(state.boxes.tracks.width() == width);
  CHECK(state.inspector_shown);
  state.drawer.leave_full();
  state.place(0, 0, 1600, 900);
  CHECK(state.boxes.inspector.top == 0);
}

TEST_CASE("an annotation without a bracket is shown as a row once it is selected") {
  kino::EventFixture events;
  events.launch(0, 1, 1).launch(2, 1, 2).kernel("a", 10, 10, 1).kernel("b", 30, 10, 2);
  events.slice(kino::TrackClass::gpu_annotation, "gpu_user_annotation", "ProfilerStep#1", 10, 30, "7");
  events.slice(kino::TrackClass::gpu_annotation, "gpu_user_annotation", "forward", 10, 30, "7");
  TimelineState state(events.build());
  state.take_annotations(
      std::make_shared<const kino::StreamAnnotations>(kino::stream_annotations(*state.trace)));
  const auto select = [&](std::string_view name) {
    for (std::uint32_t i = 0; i < state.trace->slice_count(); ++i) {
      if (state.trace->name_of(kino::SliceId{i}) == name)
        state.choose({kino::SliceId{i}, kino::kNoInstant}, true);
    }
    state.place(0, 30, 1600, 870);
  };
  state.place(0, 30, 1600, 870);
  select("forward");
  CHECK_FALSE(state.arrangement.annotation_rows);
  REQUIRE(state.lane_of(state.selection.slice).has_value());
  CHECK(state.lane_of(state.selection.slice)->height_px == 12);
  select("ProfilerStep#1");
  CHECK(state.arrangement.annotation_rows);
  CHECK(state.lane_of(state.selection.slice).has_value());
}
