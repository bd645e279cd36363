// Covers: bookmarks, bookmark_table
#include "app/ui/bookmarks/bookmarks.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "app/ui/bookmarks/bookmark_table.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

struct Place {
  Place() {
    trace_path = folder / "trace.json";
    std::ofstream(trace_path) << "content of a trace";
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  kino_test::TemporaryFolder home;
  std::filesystem::path folder = home.path();
  std::filesystem::path trace_path;
  WorkerPool pool{1};
};

void settle(Bookmarks& bookmarks) {
  REQUIRE(kino_test::eventually([&] {
    bookmarks.poll();
    return !bookmarks.busy();
  }));
}

std::shared_ptr<const Trace> three_slices() {
  TraceFixture fixture;
  fixture.add_row({{100, 50, 1}, {200, 50, 2}, {300, 50, 1}});
  return fixture.build();
}

}  // namespace

TEST_CASE("bookmarks of one window appear in the next one at the same slice") {
  Place place;
  {
    Bookmarks bookmarks(place.trace_path, place.folder / "notes", place.pool, [] {});
    bookmarks.set_trace(three_slices());
    const std::uint64_t id = bookmarks.add({200, 250}, SliceId{1});
    bookmarks.set_text(id, "look here");
    bookmarks.set_color(id, 4);
    bookmarks.add({110, 120}, kNoSlice);
    // Not written yet: the destructor writes, even before the old ones have been read.
  }
  Bookmarks bookmarks(place.trace_path, place.folder / "notes", place.pool, [] {});
  bookmarks.set_trace(three_slices());
  settle(bookmarks);
  REQUIRE(bookmarks.all().size() == 2);
  const PlacedBookmark& first = bookmarks.all().front();
  CHECK(first.mark.text == "look here");
  CHECK(first.mark.color == 4);
  CHECK(first.found.slice == SliceId{1});
  CHECK(first.found.match == SliceMatch::exact);
  CHECK(bookmarks.all()[1].range == TimeRange{110, 120});
}

TEST_CASE("a removed bookmark is restored with its number") {
  Place place;
  Bookmarks bookmarks(place.trace_path, {}, place.pool, [] {});
  bookmarks.set_trace(three_slices());
  const std::uint64_t first = bookmarks.add({100, 100}, kNoSlice);
  const std::uint64_t second = bookmarks.add({200, 200}, kNoSlice);
  bookmarks.remove(first);
  CHECK(bookmarks.find(first) == nullptr);
  CHECK(bookmarks.numbered(2)->mark.id == second);
  CHECK(bookmarks.restore() == first);
  CHECK(bookmarks.numbered(1)->mark.id == first);
  CHECK(bookmarks.restore() == 0);
}

TEST_CASE("next and previous follow time, from the current bookmark or from a time") {
  Place place;
  Bookmarks bookmarks(place.trace_path, {}, place.pool, [] {});
  bookmarks.set_trace(three_slices());
  const std::uint64_t late = bookmarks.add({300, 300}, kNoSlice);
  const std::uint64_t early = bookmarks.add({100, 100}, kNoSlice);
  CHECK(bookmarks.neighbor(early, 0, 1)->mark.id == late);
  CHECK(bookmarks.neighbor(late, 0, 1) == nullptr);
  CHECK(bookmarks.neighbor(late, 0, -1)->mark.id == early);
  CHECK(bookmarks.neighbor(0, 200, 1)->mark.id == late);
  CHECK(bookmarks.neighbor(0, 200, -1)->mark.id == early);
  CHECK(bookmarks.neighbor(0, 50, -1) == nullptr);
}

TEST_CASE("bookmarks of a document are placed in its new trace") {
  Place place;
  Bookmarks bookmarks(place.trace_path, {}, place.pool, [] {});
  bookmarks.set_trace(three_slices());
  bookmarks.add({300, 350}, SliceId{2});
  bookmarks.add({100, 120}, kNoSlice);
  TraceFixture shorter;
  shorter.add_row({{400, 50, 2}});
  auto other = std::const_pointer_cast<Trace>(shorter.build());
  other->origin_unix_ns = -50;
  bookmarks.set_trace(other);
  settle(bookmarks);
  CHECK(bookmarks.all()[0].found.match == SliceMatch::lost);
  CHECK(bookmarks.all()[0].range == TimeRange{350, 400});
  CHECK_FALSE(bookmarks.all()[1].inside);
  bookmarks.set_trace(three_slices());
  settle(bookmarks);
  CHECK(bookmarks.all()[0].found.slice == SliceId{2});
}

TEST_CASE("a second bookmark at the same position is the first one") {
  Place place;
  Bookmarks bookmarks(place.trace_path, {}, place.pool, [] {});
  bookmarks.set_trace(three_slices());
  const std::uint64_t slice = bookmarks.add({200, 250}, SliceId{1});
  const std::uint64_t range = bookmarks.add({200, 250}, kNoSlice);
  CHECK(bookmarks.at({200, 250}, SliceId{1})->mark.id == slice);
  CHECK(bookmarks.at({200, 250}, kNoSlice)->mark.id == range);
  CHECK(bookmarks.at({200, 251}, kNoSlice) == nullptr);
}

TEST_CASE("the table has one row per bookmark, in order of numbers, and sorts by any columns") {
  const auto trace = three_slices();
  std::vector<PlacedBookmark> marks(3);
  for (std::uint32_t i = 0; i < 3; ++i) marks[i].mark.number = i + 1;
  marks[0].range = {30, 40};
  marks[1].range = {10, 40};
  marks[2].range = {20, 20};
  marks[0].mark.text = "b";
  marks[1].mark.text = "a";
  marks[2].mark.text = "a";
  marks[2].inside = false;
  const Table table = bookmark_table(*trace, marks);
  using Rows = std::vector<std::uint32_t>;
  const auto order = [&](std::vector<TableOrder> by) { return ordered_rows(table, by); };
  const auto column = [](BookmarkColumn it) { return static_cast<std::size_t>(it); };
  CHECK(order({}) == Rows{0, 1, 2});
  CHECK(order({{column(BookmarkColumn::number), true}}) == Rows{2, 1, 0});
  CHECK(order({{column(BookmarkColumn::text), false}}) == Rows{1, 2, 0});
  CHECK(order({{column(BookmarkColumn::text), false}, {column(BookmarkColumn::time), true}}) ==
        Rows{2, 1, 0});
  CHECK(order({{column(BookmarkColumn::duration), false}}) == Rows{0, 1, 2});  // a point has no duration
  CHECK(ordered_rows(table, {}, "outside this trace") == Rows{2});
  CHECK(ordered_rows(table, {}, "point in time") == Rows{2});
  CHECK(bookmark_table(*trace, {}).row_count() == 0);
}
