#include <doctest/doctest.h>

#include "app/search_bar.hpp"
#include "app/search_hits.hpp"
#include "tests/trace_fixture.hpp"

using namespace kino;

namespace {

/// Names 1 and 2 in turn on two tracks: starts 0, 10, 20, ... and 5, 15, 25, ...
std::shared_ptr<const Trace> two_tracks() {
  TraceFixture fixture;
  fixture.add_row({{0, 4, 1}, {10, 4, 2}, {20, 4, 1}});
  fixture.add_row({{5, 4, 2}, {15, 4, 1}, {25, 4, 2}});
  return fixture.build();
}

}  // namespace

TEST_CASE("hits are counted, listed by time over all tracks, and their names marked") {
  SearchedTrace searched(two_tracks());
  const SearchAnswer answer = search_trace(searched, "name 2", {});
  CHECK(answer.error.empty());
  CHECK(answer.total == 3);  // both words are in it
  const SearchAnswer quoted = search_trace(searched, "\"name 2\"", {});
  CHECK(quoted.total == 3);
  CHECK(quoted.listed == std::vector<SliceId>{SliceId{3}, SliceId{1}, SliceId{5}});
  CHECK(quoted.name_matches == std::vector<bool>{false, false, true});
}

TEST_CASE("a query that means nothing says why") {
  SearchedTrace searched(two_tracks());
  const SearchAnswer answer = search_trace(searched, "/(/", {});
  CHECK_FALSE(answer.error.empty());
  CHECK(answer.total == 0);
  CHECK_FALSE(answer.query);
}

TEST_CASE("stepping goes along the hits in order of time and around the ends") {
  SearchedTrace searched(two_tracks());
  const SearchAnswer answer = search_trace(searched, "\"name 2\"", {});
  REQUIRE(answer.query);
  const auto step = [&](SliceId from, std::int64_t time, int direction) {
    return neighbour_hit(searched.trace(), *answer.query, from, time, direction);
  };
  CHECK(step(kNoSlice, 0, 1).slice == SliceId{3});
  CHECK(step(SliceId{3}, 0, 1).slice == SliceId{1});
  CHECK(step(SliceId{1}, 0, 1).slice == SliceId{5});
  CHECK(step(SliceId{5}, 0, 1).slice == SliceId{3});
  CHECK(step(SliceId{3}, 0, -1).slice == SliceId{5});
  CHECK(step(SliceId{4}, 0, 1).slice == SliceId{5});  // from a slice that is no hit
  CHECK(step(SliceId{3}, 0, 1).place == 1);
  CHECK(step(SliceId{1}, 0, 1).place == 2);
  CHECK(step(SliceId{5}, 0, 1).place == 0);
}

TEST_CASE("names that do not match fade, whatever alpha they had") {
  const std::vector<std::uint32_t> faded =
      faded_colors({0xff010203U, 0xff040506U, 0x80070809U}, {true, false}, 51);
  CHECK(faded == std::vector<std::uint32_t>{0xff010203U, 0x33040506U, 0x19070809U});
}

TEST_CASE("the count of hits reads as a sentence") {
  CHECK(hit_count_text(0, std::nullopt) == "no hits");
  CHECK(hit_count_text(1, std::nullopt) == "1 hit");
  CHECK(hit_count_text(12, 2) == "3 of 12");
}
