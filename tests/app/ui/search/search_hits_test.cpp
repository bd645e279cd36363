// Covers: search_hits, hit_table, search_bar, matched_rows
#include "app/ui/search/search_hits.hpp"

#include <doctest/doctest.h>

#include "app/ui/search/search_bar.hpp"
#include "app/ui/view/matched_rows.hpp"
#include "core/base/time_text.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

/// Names 1 and 2 alternate on two tracks: starts 0, 10, 20, ... and 5, 15, 25, ...
std::shared_ptr<const Trace> two_tracks() {
  TraceFixture fixture;
  fixture.add_row({{0, 4, 1}, {10, 4, 2}, {20, 4, 1}});
  fixture.add_row({{5, 4, 2}, {15, 4, 1}, {25, 4, 2}});
  return fixture.build();
}

}  // namespace

TEST_CASE("hits are counted, listed by time over all tracks, and returned as a set") {
  SearchedTrace searched(two_tracks());
  const SearchResult answer = search_trace(searched, "name 2", {});
  CHECK(answer.error.empty());
  CHECK(answer.total == 3);  // both words occur in it
  const SearchResult quoted = search_trace(searched, "\"name 2\"", {});
  CHECK(quoted.total == 3);
  CHECK(quoted.listed == std::vector<SliceId>{SliceId{3}, SliceId{1}, SliceId{5}});
  REQUIRE(quoted.hits);
  for (const std::uint32_t slice : {3U, 1U, 5U}) CHECK(quoted.hits->contains(slice));
  CHECK(quoted.hits->count() == 3);
}

TEST_CASE("the time of nested hits of a track counts once, and that of other tracks separately") {
  EventFixture fixture;
  fixture.op("attention", 0, 10).op("attention", 2, 6).op("attention", 20, 5).op("attention", 2, 6, "2");
  SearchedTrace searched(fixture.build());
  const SearchResult answer = search_trace(searched, "attention", {});
  CHECK(answer.total == 4);
  CHECK(answer.total_ns == 21);
}

TEST_CASE("names that match are counted and summed, most total time first") {
  TraceFixture fixture;
  fixture.add_row({{0, 4, 1}, {10, 5, 2}, {20, 4, 1}, {30, 1, 3}});
  SearchedTrace searched(fixture.build());
  const FoundNames found = find_names(searched, "name", {});
  CHECK(found.query == "name");
  CHECK(found.total == 4);
  CHECK(found.total_ns == 14);
  REQUIRE(found.names.size() == 3);
  CHECK(found.names[0].name == "name 1");
  CHECK(found.names[0].count == 2);
  CHECK(found.names[0].total_ns == 8);
  CHECK(found.names[1].name == "name 2");
  CHECK(found.names[2].total_ns == 1);
  CHECK(search_trace(searched, "name", {}).total_ns == 14);
  CHECK_FALSE(find_names(searched, "/(/", {}).error.empty());
  CHECK(find_names(searched, "nothing", {}).names.empty());
}

TEST_CASE("an invalid query reports the reason") {
  SearchedTrace searched(two_tracks());
  const SearchResult answer = search_trace(searched, "/(/", {});
  CHECK_FALSE(answer.error.empty());
  CHECK(answer.total == 0);
  CHECK_FALSE(answer.query);
}

TEST_CASE("steps follow the hits in order of time and wrap around") {
  SearchedTrace searched(two_tracks());
  const SearchResult answer = search_trace(searched, "\"name 2\"", {});
  REQUIRE(answer.query);
  const auto step = [&](SliceId from, std::int64_t time, int direction) {
    return neighbor_hit(searched.trace(), *answer.query, from, time, direction);
  };
  CHECK(step(kNoSlice, 0, 1).slice == SliceId{3});
  CHECK(step(SliceId{3}, 0, 1).slice == SliceId{1});
  CHECK(step(SliceId{1}, 0, 1).slice == SliceId{5});
  CHECK(step(SliceId{5}, 0, 1).slice == SliceId{3});
  CHECK(step(SliceId{3}, 0, -1).slice == SliceId{5});
  CHECK(step(SliceId{4}, 0, 1).slice == SliceId{5});  // from a slice that is not a hit
  CHECK(step(SliceId{3}, 0, 1).place == 1);
  CHECK(step(SliceId{1}, 0, 1).place == 2);
  CHECK(step(SliceId{5}, 0, 1).place == 0);
}

TEST_CASE("the number of hits is a sentence") {
  CHECK(hit_count_text(0, 0, std::nullopt) == "no hits");
  CHECK(hit_count_text(1, 1'500, std::nullopt) == "1 hit · " + text_from_duration(1'500));
  CHECK(hit_count_text(28, 47'900'000, 2) == "3 of 28 · " + text_from_duration(47'900'000));
}

TEST_CASE("hits are emphasised only if there are some and not all slices are hits") {
  SearchedTrace searched(two_tracks());
  CHECK(search_trace(searched, "\"name 2\"", {}).emphasised() != nullptr);
  CHECK(search_trace(searched, "name", {}).emphasised() == nullptr);
  CHECK(search_trace(searched, "nothing", {}).emphasised() == nullptr);
  CHECK(search_trace(searched, "/(/", {}).emphasised() == nullptr);
}

TEST_CASE("searching for arguments without the file's text is an error, not a search without hits") {
  SearchedTrace searched(two_tracks());
  CHECK_FALSE(search_trace(searched, "correlation:5", {}).error.empty());
}

TEST_CASE("rows with a hit are marked") {
  const auto trace = two_tracks();
  SliceSet hits(trace->slice_count());
  CHECK(rows_with(*trace, nullptr, hits) == std::vector<std::uint8_t>{0, 0});
  hits.insert(4);
  CHECK(rows_with(*trace, nullptr, hits) == std::vector<std::uint8_t>{0, 1});
  hits.insert(2);
  CHECK(rows_with(*trace, nullptr, hits) == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("a step that is requested before the answer is taken as soon as it is ready") {
  WorkerPool pool(1);
  SearchHits hits(two_tracks(), nullptr, pool, [] {});
  hits.ask("name");
  hits.step(kNoSlice, 0, 1);
  std::optional<FoundHit> found;
  REQUIRE(kino_test::eventually([&] {
    hits.poll();
    found = hits.poll_step();
    return found.has_value();
  }));
  CHECK(found->slice == SliceId{0});
}

TEST_CASE("ten steps that are requested at once move ten hits on") {
  WorkerPool pool(1);
  SearchHits hits(two_tracks(), nullptr, pool, [] {});
  hits.ask("name");
  for (int i = 0; i < 10; ++i) hits.step(kNoSlice, 0, 1);
  std::vector<SliceId> way;
  REQUIRE(kino_test::eventually([&] {
    hits.poll();
    if (const auto found = hits.poll_step()) way.push_back(found->slice);
    return way.size() == 10;
  }));
  std::vector<SliceId> wanted;
  for (const std::uint32_t slice : {0U, 3U, 1U, 4U, 2U, 5U, 0U, 3U, 1U, 4U}) wanted.push_back(SliceId{slice});
  CHECK(way == wanted);
}

TEST_CASE("an error of a query reports its position") {
  SearchedTrace searched(two_tracks());
  const SearchResult answer = search_trace(searched, "name /open", {});
  CHECK_FALSE(answer.error.empty());
  CHECK(answer.error_at == 5);
}
