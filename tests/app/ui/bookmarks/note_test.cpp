// Covers: note
#include "app/ui/bookmarks/note.hpp"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/fixtures/temporary_folder.hpp"

namespace {

kino::Note example() {
  kino::Note note;
  note.trace = "/data/a.json.gz";
  note.moment.view = kino::TimeRange{1'000'000'000'000'000'000, 1'000'000'000'000'000'500};
  note.moment.marked = kino::TimeRange{5, 7};
  note.moment.slice =
      kino::MomentSlice{.start_unix_ns = 5, .duration_ns = 2, .pid = "1", .tid = "a/b", .source_offset = 9};
  note.tracks = R"({"pinned":["1|7|0|stream 7"]})";
  note.query = "name:gemm >5us \xE2\x80\xA6";
  note.only_matches = true;
  note.marked_tracks = {"1|7|0|stream 7"};
  note.ranges = {
      {.range = {1, 3}, .name = "warm-up", .letter = 'A', .tracks = {{"1|7|0|stream 7", "2|2|0|"}}},
      {.range = {4, 9}, .name = "", .letter = 'C', .compared = false, .slice = note.moment.slice}};
  kino::Bookmark mark;
  mark.id = 7;
  mark.number = 1;
  mark.begin_unix_ns = 3;
  mark.end_unix_ns = 4;
  mark.text = "slow";
  note.bookmarks = {mark};
  return note;
}

}  // namespace

TEST_CASE("a note is read as written: view, selection, tracks, search, ranges and bookmarks") {
  const kino::Note note = example();
  const auto read = kino::note_from_json(kino::note_json(note));
  REQUIRE(read.has_value());
  CHECK(read->view);
  CHECK(read->skipped == 0);
  CHECK(read->note.trace == note.trace);
  CHECK(read->note.moment == note.moment);
  CHECK(read->note.tracks == note.tracks);
  CHECK(read->note.query == note.query);
  CHECK(read->note.only_matches);
  CHECK(read->note.marked_tracks == note.marked_tracks);
  CHECK(read->note.ranges == note.ranges);
  REQUIRE(read->note.bookmarks.size() == 1);
  CHECK(read->note.bookmarks[0].text == "slow");
}

TEST_CASE("a file of bookmarks alone is a note without a view") {
  const auto read = kino::note_from_json(kino::bookmarks_json(example().bookmarks, "/data/a.json"));
  REQUIRE(read.has_value());
  CHECK(!read->view);
  CHECK(read->note.bookmarks.size() == 1);
}

TEST_CASE("notes are distinguished from traces by content, and damaged ones are read partially") {
  const kino_test::TemporaryFolder folder;
  CHECK(kino::read_note(folder.write("note.txt", kino::note_json(example()))).has_value());
  CHECK(!kino::read_note(folder.write("trace.json", R"({"traceEvents": []})")));
  CHECK(!kino::read_note(folder.write("other.json", R"({"version": 1, "traceEvents": []})")));
  CHECK(!kino::read_note(folder.write("empty.json", "")));
  CHECK(!kino::read_note(folder.path() / "absent"));
  CHECK(!kino::read_note(folder.path()));
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  CHECK(!kino::read_note(folder.path() / "pipe"));
  const auto read = kino::note_from_json(
      R"({"version":1,"note":1,"view":[5,1],"marked":"x","selection":7,"tracks":[],"ranges":[1,{"range":[1]}],"query":3,"bookmarks":[1]})");
  REQUIRE(read.has_value());
  CHECK(read->note.moment == kino::Moment{});
  CHECK(read->note.ranges.empty());
  CHECK(read->skipped == 1);
}

TEST_CASE("rejects notes that are nested too deep, which copying would follow level by level") {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  for (const char* const key : {"view", "marked", "tracks", "ranges", "bookmarks"}) {
    CAPTURE(key);
    CHECK_FALSE(kino::note_from_json(std::string(R"({"version":1,"note":1,"bookmarks":[],")") + key +
                                     "\":" + deep + "}"));
  }
}
