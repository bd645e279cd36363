// Covers: line_breaks
// Lines end between words, and a number stays beside its unit.
#include "app/ui/widgets/line_breaks.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace {

std::string broken(std::string_view text, float width) {
  return kino::with_line_breaks(text, width, [](char32_t) { return 1.0F; });
}

}  // namespace

TEST_CASE("lines break at spaces, and not after a period or a quotation mark inside a word") {
  CHECK(broken("", 5).empty());
  CHECK(broken("one two", 7) == "one two");
  CHECK(broken("one two three", 7) == "one two\nthree");
  CHECK(broken("52.06 of 214.3 now", 12) == "52.06 of\n214.3 now");
  CHECK(broken("model = compile(mode=\"reduce\")", 24) == "model =\ncompile(mode=\"reduce\")");
  CHECK(broken("a  bb", 3) == "a\nbb");
  CHECK(broken("first\n  second line", 9) == "first\n  second\nline");
}

TEST_CASE("a number stays beside its unit and its digits") {
  CHECK(broken("at most 214.3 ms per step", 14) == "at most\n214.3 ms per\nstep");
  CHECK(broken("of the step (1.3 %).", 17) == "of the step\n(1.3 %).");
  CHECK(broken("launches: 1 467 (median)", 12) == "launches:\n1 467\n(median)");
  CHECK(broken("call 12 times", 8) == "call 12\ntimes");
}

TEST_CASE("a word wider than the line is broken, after punctuation if there is any") {
  CHECK(broken("profile(profile_memory=True)", 26) == "profile(profile_memory=\nTrue)");
  CHECK(broken("abcdefgh", 3) == "abc\ndef\ngh");
  CHECK(broken("a bcdefgh", 3) == "a\nbcd\nefg\nh");
  CHECK(broken("abc", 0) == "a\nb\nc");
}

TEST_CASE("Chinese and Japanese lines break between characters, but do not begin with punctuation") {
  CHECK(broken("数据加载。等待", 4) == "数据加\n载。等待");
  CHECK(broken("（数据）", 2) == "（数\n据）");
  CHECK(broken("共 12 件です", 4) == "共\n12 件\nです");
}

TEST_CASE("lines keep all characters and the width, for random texts") {
  std::mt19937 random(7);
  constexpr std::string_view kLetters = "ab1,. =(\n";
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (std::size_t length = random() % 60; length > 0; --length)
      text += kLetters[random() % kLetters.size()];
    const auto width = static_cast<float>(1 + random() % 12);
    const std::string lines = broken(text, width);
    const auto without_blanks = [](std::string shown) {
      std::erase_if(shown, [](char c) { return c == ' ' || c == '\n'; });
      return shown;
    };
    CAPTURE(text);
    CHECK(without_blanks(lines) == without_blanks(text));
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      CHECK(line.find_last_not_of(' ') + 1 <= static_cast<std::size_t>(width));
      at = end + 1;
    }
  }
}
