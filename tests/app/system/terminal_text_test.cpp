// Covers: terminal_text
#include "core/base/terminal_text.hpp"

#include <doctest/doctest.h>

using kino::escaped;

TEST_CASE("ordinary text in any script is printed unchanged") {
  CHECK(escaped("aten::addmm<float, 4>(%s) ##x") == "aten::addmm<float, 4>(%s) ##x");
  CHECK(escaped("Größe · 日本語 · 😀") == "Größe · 日本語 · 😀");
  CHECK(escaped("").empty());
}

TEST_CASE("control characters and escape sequences are spelt out") {
  CHECK(escaped("\x1b[31mred\x07") == "\\x1B[31mred\\x07");
  CHECK(escaped("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(escaped("\x7f") == "\\x7F");
  CHECK(escaped("\xc2\x9b"
                "31m") == "\\x9B31m");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("characters that change the direction of text are spelt out") {
  CHECK(escaped("a\xe2\x80\xae"
                "b") == "a\\u{202E}b");
  CHECK(escaped("\xe2\x81\xa6") == "\\u{2066}");
  CHECK(escaped("\xd8\x9c") == "\\u{061C}");
}

TEST_CASE("bytes that are not UTF-8 are spelt out one by one") {
  CHECK(escaped("\xff\xfe") == "\\xFF\\xFE");
  CHECK(escaped("a\xc3") == "a\\xC3");
  CHECK(escaped("\xc0\xaf") == "\\xC0\\xAF");
  CHECK(escaped("\xe0\x80\xaf") == "\\xE0\\x80\\xAF");
  CHECK(escaped("\xed\xa0\x80") == "\\xED\\xA0\\x80");
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");
}

TEST_CASE("an error is one sentence with the file's name last") {
  using kino::Error;
  CHECK(kino::error_sentence(Error{Error::Kind::not_found, "there is no such file."}, "a\nb.json") ==
        "there is no such file: a\\nb.json");
  CHECK(kino::error_sentence(Error{Error::Kind::corrupt, "this is no JSON", 17}, "a.json") ==
        "this is no JSON (byte 17): a.json");
}

TEST_CASE("line breaks become one space, together with the indentation") {
  CHECK(kino::without_line_breaks("{\n    \"ph\": \"f\",\r\n\t\"id\": 1 }") ==
        "{ \"ph\": \"f\", \"id\": 1 }");
  CHECK(kino::without_line_breaks("a  b\tc") == "a  b\tc");
  CHECK(kino::without_line_breaks("\n") == " ");
  CHECK(kino::without_line_breaks("").empty());
}
