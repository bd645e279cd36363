// Covers: snapshot_set_state
// The view of many snapshots: axes, selection and differences.
#include "app/pages/snapshot_set/snapshot_set_state.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using kino::SetAxis;
using kino::SetResult;
using kino::SetState;
using kino::SnapshotMember;

namespace {

SnapshotMember member(std::size_t source, std::uint64_t peak, std::int64_t first_us, std::int64_t last_us) {
  SnapshotMember made{
      "rank" + std::to_string(source), static_cast<std::int64_t>(source), true, true, {}, source};
  made.sums.peak_bytes = peak;
  made.sums.events = 4;
  made.sums.first_us = first_us;
  made.sums.last_us = last_us;
  made.sums.rows[0] = {{"/a", "a", peak, 1}};
  made.sums.curve = {
      {kino::kBeforeRecording, first_us, 0, 0, 0}, {0, first_us, 1, 1, 1}, {2, last_us, peak, peak, peak}};
  return made;
}

std::shared_ptr<const SetResult> picture_of(std::vector<SnapshotMember> members, bool of_all = true) {
  SetResult picture;
  picture.of_all = of_all;
  picture.set = kino::snapshot_set(std::move(members));
  return std::make_shared<const SetResult>(std::move(picture));
}

}  // namespace

TEST_CASE("simultaneous curves align by clock, a series by begins, and curves without times by events") {
  const auto together = picture_of({member(0, 10, 1'000, 2'000), member(1, 10, 1'500, 2'500)});
  CHECK(kino::first_axis(together->set) == SetAxis::clock);
  const kino::SetPositions clock = kino::places_along(together->set, SetAxis::clock);
  CHECK(clock.of_point[1] == std::vector<double>{500'000, 500'000, 1'500'000});
  CHECK(clock.end[1] == 1'500'000);
  CHECK(clock.origin_unix_ns == 1'000'000);
  CHECK(clock.content.end_ns == 1'500'000);
  const auto series = picture_of({member(0, 10, 1'000, 2'000), member(1, 10, 9'000, 9'500)});
  CHECK(kino::first_axis(series->set) == SetAxis::begins);
  CHECK(kino::places_along(series->set, SetAxis::begins).of_point[1] == std::vector<double>{0, 0, 500'000});
  const auto events = kino::places_along(series->set, SetAxis::events);
  CHECK(events.of_point[0] == std::vector<double>{0, 0, 2'000});
  CHECK(events.end[0] == 4'000);
  std::vector<SnapshotMember> untimed{member(0, 10, 1, 2)};
  untimed[0].sums.first_us = untimed[0].sums.last_us = kino::SnapshotEntries::kNoTime;
  CHECK(kino::first_axis(picture_of(untimed)->set) == SetAxis::events);
  CHECK(kino::places_along({}, SetAxis::clock).of_point.empty());
}

TEST_CASE("the facts name a median only if it is typical") {
  const auto facts = [](const std::vector<SnapshotMember>& members) {
    return kino::set_facts_text(picture_of(members)->set, members.size(), 4);
  };
  CHECK(facts({member(0, 10, 1, 9), member(1, 20, 1, 9), member(2, 30, 1, 9)}) ==
        "Files read: 3 of 4 · devices compared: 3 · median: rank 1, 20 B");
  CHECK(facts({member(0, 10, 1, 9), member(1, 20, 1, 9)}) ==
        "Files read: 2 of 4 · devices compared: 2 · reference: rank 0, 10 B");
  std::vector<SnapshotMember> programs{member(0, 10, 1, 9), member(1, 20, 1, 9), member(2, 30, 1, 9)};
  for (std::size_t i = 0; i < programs.size(); ++i)
    programs[i].sums.rows[0][0].key = "/program" + std::to_string(i) + ".py";
  CHECK(facts(programs) == "Files read: 3 of 4 · devices compared: 3 · reference: rank 1, 20 B");
}

TEST_CASE("decreasing and distant times yield ascending positions within bounds") {
  std::vector<SnapshotMember> members{member(0, 10, 100, 300), member(1, 10, INT64_MAX - 5, INT64_MAX)};
  members[0].sums.curve[1].time_us = 50;
  const kino::SetPositions places = kino::places_along(picture_of(members)->set, SetAxis::clock);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::ranges::is_sorted(places.of_point[i]));
    CHECK(places.end[i] >= places.of_point[i].back());
  }
  CHECK(places.content.end_ns > 0);
}

TEST_CASE("point_at() returns the last point that began, and nothing outside") {
  const auto picture = picture_of({member(0, 10, 1'000, 2'000)});
  const kino::SetPositions places = kino::places_along(picture->set, SetAxis::begins);
  CHECK(places.point_at(0, 0) == 1);
  CHECK(places.point_at(0, 999'999) == 1);
  CHECK(places.point_at(0, 1'000'000) == 2);
  CHECK(!places.point_at(0, -1));
  CHECK(!places.point_at(0, 1'000'001));
}

TEST_CASE(
    "selects the first outlier with its differences, and keeps the selection while more files are read") {
  SetState state;
  state.files.resize(4);
  for (std::size_t i = 0; i < 4; ++i) state.files[i].path = "rank" + std::to_string(i);
  state.take(picture_of({member(0, 10, 1, 9), member(1, 10, 1, 9), member(2, 100, 1, 9)}));
  REQUIRE(state.selected);
  CHECK(state.set()->names[*state.selected] == "rank 2");
  REQUIRE(state.differences.size() == 1);
  CHECK(state.differences[0].difference() == 90);
  state.step(1);
  CHECK(state.set()->names[*state.selected] != "rank 2");
  const kino::Message chosen = state.set()->names[*state.selected];
  state.take(
      picture_of({member(0, 10, 1, 9), member(1, 10, 1, 9), member(2, 100, 1, 9), member(3, 500, 1, 9)}));
  CHECK(state.set()->names[*state.selected] == chosen);
  state.step(-1);
  state.step(-1);
  state.step(-1);
  CHECK(*state.selected == state.set()->order.front());
  state.request_open(*state.selected);
  REQUIRE(state.requests.size() == 1);
  CHECK(std::get<kino::OpenRecording>(state.requests.front()).file == "rank3");
  state.group_by(kino::SumsBy::module);
  CHECK(state.differences.empty());
  state.select(std::nullopt);
  CHECK(state.differences.empty());
}

TEST_CASE("selects an outlier once all files are read, but not for files added later") {
  const std::vector<SnapshotMember> alike{member(0, 10, 1, 9), member(1, 10, 1, 9)};
  std::vector<SnapshotMember> all = alike;
  all.push_back(member(2, 100, 1, 9));
  SetState state;
  state.take(picture_of(alike, false));
  CHECK_FALSE(state.selected.has_value());
  state.take(picture_of(all));
  REQUIRE(state.selected.has_value());
  CHECK(state.set()->names[*state.selected] == "rank 2");
  SetState watched;
  watched.take(picture_of(alike));
  watched.take(picture_of(all));
  CHECK_FALSE(watched.selected.has_value());
}

TEST_CASE("without snapshots nothing can be selected or stepped to") {
  SetState state;
  state.step(1);
  state.next_axis();
  state.request_open(0);
  state.take(picture_of({}));
  CHECK(state.set() == nullptr);
  CHECK(!state.selected);
  CHECK(state.requests.empty());
}

TEST_CASE("files added later keep selection and view, and a requested rank is selected") {
  SetState state;
  state.select_rank(2);
  state.take(picture_of({member(0, 10, 1'000, 2'000), member(1, 12, 1'500, 2'500)}));
  CHECK_FALSE(state.selected.has_value());
  state.navigation.set_width(100);
  state.navigation.show({200'000, 400'000});
  // It begins 1 ms before the others in view.
  state.take(picture_of({member(0, 10, 1'000, 2'000), member(1, 12, 1'500, 2'500), member(2, 90, 0, 3'000)}));
  REQUIRE(state.selected.has_value());
  CHECK(state.set()->members[*state.selected].rank == 2);
  CHECK(state.navigation.view().begin_ns == doctest::Approx(1'200'000));
  CHECK(state.navigation.view().ns_per_px == doctest::Approx(2'000));
  state.select(std::nullopt);
  // Outliers are selected when a set opens, not in a set that is already open.
  state.take(picture_of({member(0, 10, 1'000, 2'000), member(1, 12, 1'500, 2'500), member(2, 90, 0, 3'000),
                         member(3, 11, 0, 3'000)}));
  CHECK_FALSE(state.selected.has_value());
}
