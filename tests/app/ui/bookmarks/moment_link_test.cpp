// Covers: moment_link
#include "app/ui/bookmarks/moment_link.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

using kino::MomentLink;

TEST_CASE("a link preserves file, view, range and selection, whatever characters their names contain") {
  MomentLink link{"/data/my traces/r\xC3\xA9sum\xC3\xA9 #1&2?.json.gz", {}};
  CHECK(kino::link_in_text(kino::link_text(link)) == link);
  link.moment.view = kino::TimeRange{-5, 1'712'195'495'519'761'132};
  link.moment.marked = kino::TimeRange{10, 20};
  link.moment.slice = kino::MomentSlice{.start_unix_ns = 12,
                                        .duration_ns = 0,
                                        .pid = "python 3/x",
                                        .tid = "stream 7&8",
                                        .source_offset = 18'446'744'073'709'551'615ULL};
  link.moment.event = -1;
  const std::string text = kino::link_text(link);
  CHECK(text.find_first_of(" \"<>#") == std::string::npos);
  CHECK(kino::link_in_text(text) == link);
  CHECK(kino::link_in_text("look at this: " + text + "\nthanks") == link);
  CHECK(kino::is_link(text));
}

TEST_CASE("malformed links are rejected, and malformed parts are ignored") {
  CHECK(!kino::link_in_text(""));
  CHECK(!kino::link_in_text("/data/trace.json"));
  CHECK(!kino::link_in_text("kinetoscope:"));
  CHECK(!kino::link_in_text("kinetoscope:/a%2"));
  CHECK(!kino::link_in_text("kinetoscope:/a%00b"));
  for (const char* broken : {"?view=5..1", "?view=1..", "?view=..", "?slice=1+2", "?slice=1+2@-1", "?event=x",
                             "?view=-9223372036854775808..9223372036854775807", "?", "?&&=&new=1"}) {
    CAPTURE(broken);
    const auto link = kino::link_in_text("kinetoscope:/a.json" + std::string(broken));
    REQUIRE(link.has_value());
    CHECK(*link == MomentLink{"/a.json", {}});
  }
}
