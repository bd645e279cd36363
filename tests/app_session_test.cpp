// Tabs have names that tell them apart.
#include <doctest/doctest.h>

#include "app/glyph_set.hpp"
#include "app/session.hpp"

namespace {

std::vector<std::string> titles(const std::vector<std::filesystem::path>& paths) {
  return kino::tab_titles(paths);
}

}  // namespace

TEST_CASE("a tab is named after its file without the extensions of traces") {
  CHECK(titles({"/a/rank0.pt.trace.json.gz"}) == std::vector<std::string>{"rank0"});
  CHECK(titles({"/a/trace.json"}) == std::vector<std::string>{"trace"});
  CHECK(titles({"/a/.json"}) == std::vector<std::string>{".json"});
  CHECK(titles({"/a/notes.txt"}) == std::vector<std::string>{"notes.txt"});
}

TEST_CASE("files of the same name are told apart by their folders") {
  CHECK(titles({"/run/rank0/trace.json", "/run/rank1/trace.json"}) ==
        std::vector<std::string>{"rank0/trace", "rank1/trace"});
  CHECK(titles({"/one/rank0/trace.json", "/two/rank0/trace.json"}) ==
        std::vector<std::string>{"one/rank0/trace", "two/rank0/trace"});
}

TEST_CASE("files that differ in their extensions only show them") {
  CHECK(titles({"/a/trace.json", "/a/trace.json.gz", "/a/other.json"}) ==
        std::vector<std::string>{"trace.json", "trace.json.gz", "other"});
}

TEST_CASE("names far too deep or equal end somewhere") {
  CHECK(titles({"/trace.json", "/trace.json"}).size() == 2);
  CHECK(titles({}).empty());
}

TEST_CASE("a glyph set holds what a text needs beyond Latin and skips what is no UTF-8") {
  kino::GlyphSet glyphs;
  glyphs.add("plain ASCII, größer");
  CHECK(glyphs.empty());
  glyphs.add("日本\xff\xe6\x97 α 😀");
  CHECK(glyphs.code_points() == std::vector<std::uint16_t>{0x3B1, 0x65E5, 0x672C});
  CHECK(glyphs.contains(0x65E5));
  CHECK_FALSE(glyphs.contains(0x20000));
  kino::GlyphSet more;
  more.add("本");
  CHECK(glyphs.includes(more));
  CHECK_FALSE(more.includes(glyphs));
  more.add(glyphs);
  CHECK(more.includes(glyphs));
  CHECK(more.includes(kino::GlyphSet{}));
}
