// Covers: bookmark
#include "app/ui/bookmarks/bookmark.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using namespace kino;

namespace {

Bookmark bookmark(std::uint64_t id, std::uint32_t number, std::int64_t created = 0) {
  Bookmark mark;
  mark.id = id;
  mark.number = number;
  mark.created_unix_ms = created;
  return mark;
}

std::shared_ptr<Trace> mutable_trace(const TraceFixture& fixture) {
  return std::const_pointer_cast<Trace>(fixture.build());
}

}  // namespace

TEST_CASE("a bookmark written to JSON is read back unchanged") {
  Bookmark mark = bookmark(0xfedcba9876543210, 7, 1'700'000'000'000);
  mark.begin_unix_ns = 1'712'195'495'519'761'132;
  mark.end_unix_ns = 1'712'195'495'519'999'999;
  mark.text = "für 計算 \"quoted\" \\ /";
  mark.color = 5;
  mark.slice = BookmarkedSlice{1ULL << 40, "aten::mm", 1'712'195'495'519'761'132, 238'867, "0", "stream 7"};
  const auto read = bookmarks_from_json(bookmarks_json(std::vector{mark}, "/a/trace.json"));
  REQUIRE(read);
  CHECK(read->skipped == 0);
  REQUIRE(read->bookmarks.size() == 1);
  CHECK(read->bookmarks.front() == mark);
}

TEST_CASE("text other than a list of bookmarks is distinguished from an empty list") {
  for (const char* text : {"", "{", "[]", "null", R"({"version": 1})", R"({"version": 2, "bookmarks": []})",
                           R"({"version": 1, "bookmarks": {}})", "\xff"}) {
    CHECK_FALSE(bookmarks_from_json(text));
  }
  const auto read = bookmarks_from_json(R"({"version": 1, "bookmarks": []})");
  REQUIRE(read);
  CHECK(read->bookmarks.empty());
}

TEST_CASE("JSON truncated at any byte is rejected, never a partial list") {
  const std::string text = bookmarks_json(std::vector{bookmark(1, 1), bookmark(2, 2)}, "/a");
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    CHECK_FALSE(bookmarks_from_json(text.substr(0, length)));
  }
}

TEST_CASE("invalid entries are counted and the others are read") {
  const std::string good = R"({"id": "1", "number": 1, "text": "", "color": 0, "begin_unix_ns": 5,
                               "end_unix_ns": 5, "created_unix_ms": 0})";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string entry = good;
    return entry.replace(entry.find(from), from.size(), to);
  };
  const std::string list = good + "," + good /* the same id */ + ", 5, null, {}," + with(R"("1")", R"("0")") +
                           "," + with(R"("1")", R"("xyz")") + "," + with(R"("color": 0)", R"("color": 6)") +
                           "," + with(R"("begin_unix_ns": 5)", R"("begin_unix_ns": 6)") /* after its end */ +
                           "," + with(R"("end_unix_ns": 5)", R"("end_unix_ns": 9223372036854775807)") + "," +
                           with(R"("end_unix_ns": 5)", R"("end_unix_ns": 18446744073709551615)") + "," +
                           with(R"("number": 1)", R"("number": 1.5)") + "," +
                           with(R"("text": "")", R"("slice": 5, "text": "")");
  const auto read = bookmarks_from_json(R"({"version": 1, "bookmarks": [)" + list + "]}");
  REQUIRE(read);
  CHECK(read->bookmarks.size() == 1);
  CHECK(read->skipped == 12);
}

TEST_CASE("bookmarks above the maximum are counted as skipped") {
  std::vector<Bookmark> many;
  for (std::uint32_t i = 1; i <= kMostBookmarks + 3; ++i) many.push_back(bookmark(i, i));
  const auto read = bookmarks_from_json(bookmarks_json(many, "/a"));
  REQUIRE(read);
  CHECK(read->bookmarks.size() == kMostBookmarks);
  CHECK(read->skipped == 3);
}

TEST_CASE("stored text is short, valid and on one line") {
  CHECK(stored_text("a\nb\tc\x7f") == "a b c ");
  CHECK(stored_text("\xff\xc0\xaf") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(stored_text("\xed\xa0\x80").find('\xed') == std::string::npos);  // a surrogate
  CHECK(stored_text("äää", 5) == "ää");                                  // never half a character
  CHECK(stored_text("ä\xc3") == "ä\xEF\xBF\xBD");
  CHECK(stored_text(std::string(10'000, 'x')).size() == kMostNoteBytes);
}

TEST_CASE("numbers are stable; a taken or missing number becomes the lowest free one") {
  std::vector<Bookmark> marks{bookmark(1, 3, 10), bookmark(2, 1, 20), bookmark(3, 3, 5), bookmark(4, 0, 1)};
  settle_numbers(marks);
  REQUIRE(marks.size() == 4);
  CHECK(marks[0].id == 2);
  CHECK(marks[0].number == 1);
  CHECK(marks[2].id == 3);  // the older bookmark keeps number 3
  CHECK(marks[2].number == 3);
  CHECK(marks[1].number == 2);
  CHECK(marks[3].number == 4);
  CHECK(free_number(marks) == 5);
  marks.erase(marks.begin() + 1);
  CHECK(free_number(marks) == 2);
}

TEST_CASE("distant times do not overflow") {
  constexpr std::int64_t kMost = 9'223'372'036'854'775'807;
  CHECK(ns_from_unix(1000, 400) == 600);
  CHECK(ns_from_unix(kMost, -kMost) > 0);
  CHECK(ns_from_unix(-kMost, kMost) < 0);
}

TEST_CASE("a slice is found by its properties if the origin of the trace differs") {
  TraceFixture fixture;
  fixture.add_row({{100, 50, 1}, {200, 50, 2}, {300, 50, 1}});
  fixture.add_row({{200, 50, 2}});
  const auto trace = mutable_trace(fixture);
  trace->origin_unix_ns = 1'000'000;
  const BookmarkedSlice stored = bookmarked_slice(*trace, SliceId{3});
  CHECK(stored.start_unix_ns == 1'000'200);
  CHECK(stored.tid == "1");
  CHECK(find_bookmarked(*trace, stored).slice == SliceId{3});  // not the slice on the other track
  CHECK(find_bookmarked(*trace, stored).match == SliceMatch::exact);
  const auto again = mutable_trace(fixture);
  again->origin_unix_ns = 999'900;
  for (std::uint32_t i = 0; i < 4; ++i) again->slices.start_ns[i] += 100;
  CHECK(find_bookmarked(*again, stored).slice == SliceId{3});
  CHECK(find_bookmarked(*again, stored).match == SliceMatch::exact);
}

TEST_CASE("of two equal slices, the offset in the text decides") {
  TraceFixture fixture;
  fixture.add_row({{100, 0, 1}, {100, 0, 1}, {100, 0, 1}});
  const auto trace = mutable_trace(fixture);
  for (std::uint32_t i = 0; i < 3; ++i) trace->slices.source_offset[i] = 10 * i;
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(find_bookmarked(*trace, bookmarked_slice(*trace, SliceId{i})).slice == SliceId{i});
  }
}

TEST_CASE("in another file, the nearest slice of the name on the track is found and reported as such") {
  TraceFixture fixture;
  fixture.add_row(
      {{0, 10, 1}, {1'000'000, 10, 1}, {1'500'000, 10, 2}, {1'700'000, 10, 1}, {9'000'000, 10, 1}});
  const auto trace = mutable_trace(fixture);
  BookmarkedSlice wanted = bookmarked_slice(*trace, SliceId{1});
  wanted.start_unix_ns = 1'400'000;
  const FoundSlice nearest = find_bookmarked(*trace, wanted);
  CHECK(nearest.slice == SliceId{3});
  CHECK(nearest.match == SliceMatch::nearest);
  wanted.start_unix_ns = 1'300'000;
  CHECK(find_bookmarked(*trace, wanted).slice == SliceId{1});
}

TEST_CASE("a slice that is far away, or of another name or track, is lost") {
  TraceFixture fixture;
  fixture.add_row({{0, 10, 1}, {50'000'000, 10, 1}});
  const auto trace = mutable_trace(fixture);
  const BookmarkedSlice stored = bookmarked_slice(*trace, SliceId{0});
  const auto lost = [&](const BookmarkedSlice& wanted) {
    const FoundSlice found = find_bookmarked(*trace, wanted);
    return found.slice == kNoSlice && found.match == SliceMatch::lost;
  };
  BookmarkedSlice wanted = stored;
  wanted.start_unix_ns = 20'000'000;
  CHECK(lost(wanted));
  wanted.start_unix_ns = std::int64_t{1} << 62;
  CHECK(lost(wanted));
  wanted = stored;
  wanted.name = "name 9";
  CHECK(lost(wanted));
  wanted = stored;
  wanted.tid = "12";
  CHECK(lost(wanted));
}
