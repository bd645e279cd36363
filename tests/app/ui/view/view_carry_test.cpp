// Covers: view_carry, timeline_state
#include "app/ui/view/view_carry.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/ui/view/timeline_state.hpp"
#include "core/trace/build/trace_builder.hpp"

namespace {

using kino::SliceId;
using kino::Trace;

/// Slices of `threads` from event `first` on: slice n of thread i lasts 1 us at n * 10 us + i.
struct Recipe {
  std::vector<int> threads;
  int first = 0;
  int last = 100;
  std::int64_t base_time_ns = 0;
};

std::shared_ptr<const Trace> build(const Recipe& recipe) {
  kino::BuildInput input;
  kino::EventBatch& batch = input.batches.emplace_back();
  batch.categories.intern("cpu_op");
  for (const int thread : recipe.threads) {
    for (int n = recipe.first; n < recipe.last; ++n) {
      kino::SliceRecord slice;
      slice.start_ns = n * 10'000 + thread;
      slice.duration_ns = 1000;
      slice.source_offset = static_cast<std::uint64_t>(n) * 1000 + static_cast<std::uint64_t>(thread);
      slice.name = batch.names.intern("op " + std::to_string(n % 9));
      slice.track = batch.tracks.intern(kino::TrackClass::cpu, "77", std::to_string(thread));
      batch.slices.push_back(slice);
    }
  }
  input.base_time_ns = recipe.base_time_ns;
  input.threads = 1;
  auto built = kino::build_trace(std::move(input), {});
  REQUIRE(built.ok());
  return *built;
}

kino::TrackId track_named(const Trace& trace, int thread) {
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].tid == std::to_string(thread)) return kino::TrackId{i};
  }
  return kino::kNoTrack;
}

SliceId slice_at(const Trace& trace, int thread, int n) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    const auto offset = static_cast<std::uint64_t>(n) * 1000 + static_cast<std::uint64_t>(thread);
    if (trace.slices.source_offset[i] == offset) return SliceId{i};
  }
  return kino::kNoSlice;
}

void place(kino::TimelineState& state, float height = 500) { state.place(0, 0, 1240, height); }

std::int64_t absolute(const kino::TimelineState& state, double ns) {
  return static_cast<std::int64_t>(ns) + state.trace->origin_unix_ns;
}

}  // namespace

TEST_CASE("a view that was moved shows the same moments, whatever the new trace's origin is") {
  kino::TimelineState from(build({{5, 9}, 50, 100}));
  place(from);
  from.navigation.show({100'000, 200'000});
  kino::TimelineState to(build({{3, 5, 9}, 0, 300}));
  REQUIRE(to.trace->origin_unix_ns != from.trace->origin_unix_ns);
  kino::carry_view(from, to);
  place(to);
  CHECK(absolute(to, to.navigation.view().begin_ns) == absolute(from, from.navigation.view().begin_ns));
  CHECK(absolute(to, to.navigation.view().end_ns()) == absolute(from, from.navigation.view().end_ns()));
  CHECK_FALSE(to.navigation.moving());
}

TEST_CASE("a view that showed everything shows all of the new trace") {
  kino::TimelineState from(build({{5}, 0, 10}));
  place(from);
  kino::TimelineState to(build({{5}, 0, 1000}));
  kino::carry_view(from, to);
  place(to);
  CHECK(to.navigation.target().begin_ns <= 0);
  CHECK(to.navigation.target().end_ns() >= static_cast<double>(to.trace->content.end_ns));
}

TEST_CASE("a view of a time outside of the new trace shows all of it instead") {
  kino::TimelineState from(build({{5}, 0, 100}));
  place(from);
  from.navigation.show({0, 50'000});
  kino::TimelineState to(build({{5}, 100'000, 100'100}));
  kino::carry_view(from, to);
  place(to);
  CHECK(to.navigation.view().begin_ns <= 0);
  CHECK(to.navigation.view().end_ns() >= static_cast<double>(to.trace->content.end_ns));
}

TEST_CASE("if only one trace knows the file's base time, the file's own clock is used") {
  const auto without = build({{5}, 20, 100});
  const auto with = build({{5}, 0, 100, 1'700'000'000'000'000'000});
  CHECK(kino::time_shift_ns(*without, *with) == 200'000);
  CHECK(kino::time_shift_ns(*with, *without) == -200'000);
  const auto later = build({{5}, 0, 100, 1'700'000'000'000'000'500});
  CHECK(kino::time_shift_ns(*with, *later) == -500);
}

TEST_CASE("very many tracks are not matched") {
  Recipe many{{}, 0, 1};
  for (std::uint32_t i = 0; i <= kino::Arrangement::kMostOpenTracks; ++i) {
    many.threads.push_back(static_cast<int>(i));
  }
  const auto before = build({{5}, 0, 1});
  const auto after = build(many);
  kino::Arrangement made = kino::Arrangement::defaults(*before);
  made.filter = "thread";
  made.group_open[0] = 1;
  const kino::Arrangement now = kino::Arrangement::defaults(*after);
  CHECK(kino::carried_arrangement(*before, made, *after, now) == now);
}

TEST_CASE("the arrangement of a track follows it, and other tracks keep theirs") {
  const auto before = build({{5, 9}, 0, 10});
  const auto after = build({{3, 5, 7, 9}, 0, 10});
  const auto track = [](const Trace& trace, int thread) { return index_of(track_named(trace, thread)); };
  kino::Arrangement made = kino::Arrangement::defaults(*before);
  made.tracks[track(*before, 9)].fold = kino::TrackFold::folded;
  made.tracks[track(*before, 5)].height = kino::TrackHeight::compact;
  made.pinned = {track(*before, 9)};
  made.group_open[0] = 0;
  made.filter = "thread";
  std::reverse(made.order.begin(), made.order.end());
  kino::Arrangement now = kino::Arrangement::defaults(*after);
  now.tracks[track(*after, 7)].hidden = true;
  now.pinned = {track(*after, 3), track(*after, 5)};

  const kino::Arrangement carried = kino::carried_arrangement(*before, made, *after, now);
  CHECK(carried.tracks[track(*after, 9)].fold == kino::TrackFold::folded);
  CHECK(carried.tracks[track(*after, 5)].height == kino::TrackHeight::compact);
  CHECK(carried.tracks[track(*after, 7)].hidden);
  CHECK(carried.tracks[track(*after, 3)] == kino::TrackStyle{});
  CHECK(carried.pinned == std::vector<std::uint32_t>{track(*after, 9), track(*after, 3)});
  CHECK(carried.group_open[0] == 0);
  CHECK(carried.filter == "thread");
  const auto place_of = [&](int thread) {
    return std::ranges::find(carried.order, track(*after, thread)) - carried.order.begin();
  };
  CHECK((place_of(5) < place_of(9)) !=
        (std::ranges::find(now.order, track(*after, 5)) < std::ranges::find(now.order, track(*after, 9))));
  CHECK(carried.order.size() == after->tracks.size());
}

TEST_CASE("the selection is found again, or cleared if the event does not exist") {
  const auto before = build({{5, 9}, 20, 60});
  const auto after = build({{3, 5, 9}, 0, 100});
  for (const int thread : {5, 9}) {
    for (const int n : {20, 33, 59}) {
      const SliceId slice = slice_at(*before, thread, n);
      REQUIRE(slice != kino::kNoSlice);
      const kino::EventRef found = kino::same_event(*before, {slice, kino::kNoInstant}, *after);
      CHECK(found.slice == slice_at(*after, thread, n));
      CHECK(found.instant == kino::kNoInstant);
    }
  }
  CHECK_FALSE(kino::same_event(*after, {slice_at(*after, 3, 30), kino::kNoInstant}, *before).any());
  CHECK_FALSE(kino::same_event(*after, {slice_at(*after, 5, 99), kino::kNoInstant}, *before).any());
  CHECK_FALSE(kino::same_event(*before, {}, *after).any());
}

TEST_CASE("the track at the top of the window remains there when others are inserted above it") {
  std::vector<int> some;
  std::vector<int> more;
  for (int i = 0; i < 60; ++i) (i % 2 == 0 ? some : more).push_back(i);
  more.insert(more.end(), some.begin(), some.end());
  kino::TimelineState from(build({some, 0, 10}));
  place(from, 300);
  const kino::LayoutItem* item = from.layout.item_of(index_of(track_named(*from.trace, 20)));
  REQUIRE(item != nullptr);
  from.scroll.jump_to(item->top_px + 3);
  REQUIRE(from.scroll.position() == item->top_px + 3);
  const double beyond = from.scroll.position() - item->top_px;
  kino::TimelineState to(build({more, 0, 10}));
  kino::carry_view(from, to);
  place(to, 300);
  const kino::LayoutItem* again = to.layout.item_of(index_of(track_named(*to.trace, 20)));
  REQUIRE(again != nullptr);
  REQUIRE(again->top_px != item->top_px);
  CHECK(to.scroll.position() == doctest::Approx(again->top_px + beyond));
}

TEST_CASE("drawer, marked range and search bar are preserved") {
  kino::TimelineState from(build({{5}, 50, 100}));
  place(from);
  from.drawer.open = true;
  from.drawer.page = kino::drawer_page::kRange;
  from.drawer.set_height(333);
  from.search_open = true;
  from.marked.set({10'000, 70'000});
  kino::TimelineState to(build({{5}, 0, 100}));
  kino::carry_view(from, to);
  CHECK(to.drawer.open);
  CHECK(to.drawer.page == kino::drawer_page::kRange);
  CHECK(to.drawer.own_height() == 333);
  CHECK(to.search_open);
  CHECK(to.marked.range() == kino::TimeRange{510'000, 570'000});
  kino::TimelineState elsewhere(build({{5}, 10'000, 10'100}));
  kino::carry_view(from, elsewhere);
  CHECK_FALSE(elsewhere.marked.range().has_value());
}

TEST_CASE("empty traces are supported on both sides") {
  kino::TimelineState from(build({{5}, 0, 100}));
  place(from);
  from.selection = {SliceId{3}, kino::kNoInstant};
  kino::TimelineState empty(build({{}, 0, 0}));
  kino::carry_view(from, empty);
  place(empty);
  CHECK_FALSE(empty.selection.any());
  kino::TimelineState to(build({{5}, 0, 100}));
  kino::carry_view(empty, to);
  place(to);
  CHECK(to.navigation.target().end_ns() >= static_cast<double>(to.trace->content.end_ns));
}
