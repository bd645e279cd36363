// Texts of recordings as JSON has them, whatever bytes they are.
#include "loaders/transcript/transcript_writer.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

TEST_CASE("quotes, backslashes and control characters are escaped, and characters of UTF-8 stay") {
  CHECK(kino::json_text("a \"b\" \\ c\nd\te\x01") == "\"a \\\"b\\\" \\\\ c\\nd\\te\\u0001\"");
  const std::string whole = "\xc3\xa9 \xe6\xa0\xbc \xf0\x9f\x98\x80";
  CHECK(kino::json_text(whole) == "\"" + whole + "\"");
  CHECK(kino::json_text("") == "\"\"");
}

TEST_CASE("bytes that are no UTF-8 are each replaced") {
  const std::string bad = "\xef\xbf\xbd";
  CHECK(kino::json_text("a\xa5z") == "\"a" + bad + "z\"");
  // Overlong, a surrogate, beyond the last plane, and cut at the end.
  CHECK(kino::json_text("\xc0\x80") == "\"" + bad + bad + "\"");
  CHECK(kino::json_text("\xed\xa0\x80") == "\"" + bad + bad + bad + "\"");
  CHECK(kino::json_text("\xf4\x90\x80\x80") == "\"" + bad + bad + bad + bad + "\"");
  CHECK(kino::json_text("\xe6\xa0") == "\"" + bad + bad + "\"");
}

TEST_CASE("any bytes become a text that JSON can hold") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 128 : 0x80 + random() % 128);
    CAPTURE(round);
    CHECK(nlohmann::json::accept(kino::json_text(text)));
  }
}
