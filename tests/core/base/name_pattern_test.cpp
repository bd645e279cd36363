// Covers: name_pattern
#include "core/base/name_pattern.hpp"

#include <random>
#include <regex>
#include <string>

#include <doctest/doctest.h>

using kino::NamePattern;

namespace {

bool found(std::string_view pattern, std::string_view text) {
  const auto compiled = NamePattern::compile(pattern);
  INFO(pattern);
  REQUIRE(compiled.ok());
  return compiled.value().found_in(text);
}

bool refused(std::string_view pattern) {
  const auto compiled = NamePattern::compile(pattern);
  return !compiled.ok() && compiled.error().what.str().starts_with("The regular expression ") &&
         compiled.error().kind == kino::Error::Kind::unknown_format;
}

}  // namespace

TEST_CASE("patterns match anywhere in the text, in either case") {
  CHECK(found("gemm", "ampere_SGEMM_128x64"));
  CHECK(found("^aten::(mm|addmm)$", "aten::addmm"));
  CHECK_FALSE(found("^aten::(mm|addmm)$", "aten::addmm_"));
  CHECK(found("sm[0-9]+_xmma", "sm80_xmma_gemm"));
  CHECK_FALSE(found("sm[^0-9]+_xmma", "sm80_xmma_gemm"));
  CHECK(found("a{2,3}b", "caab"));
  CHECK_FALSE(found("^a{2,3}b", "aaaab"));
  CHECK(found("a{2,}b$", "aaaaab"));
  CHECK_FALSE(found("ca{2}b", "cab"));
  CHECK(found("x(ab){0}y", "xy"));
  CHECK(found("\\d+x\\d+\\.\\w", "128x64.f"));
  CHECK_FALSE(found("a\\.b", "axb"));
  CHECK(found("a.*?b", "a123b"));
  CHECK(found("(^|_)nn", "nn_x"));
  CHECK(found("[]x-]", "]"));
  CHECK(found("[\\d.]z", ".z"));
  CHECK(found("", "anything"));
  CHECK(found("^$", ""));
  CHECK_FALSE(found("^$", "a"));
  CHECK(found("$^", ""));
  CHECK_FALSE(found("$^", "a"));
  CHECK(found("^^a$$", "a"));
  CHECK(found("$($){1,1}", "BacaB"));
  CHECK(found("(^b|^)^a", "ab"));
  CHECK_FALSE(found("(^b|^)^a", "ba"));
  CHECK(found("\xe8\xa1\x8c{2}", "x\xe8\xa1\x8c\xe8\xa1\x8c"));
}

TEST_CASE("malformed patterns are errors with a reason") {
  for (const char* pattern : {"(", ")", "a)", "[a", "*a", "a**", "\\", "\\1", "\\bx", "(?=a)", "[z-a]",
                              "a{3,1}", "a{99999999999}", "a{65}", "(?"}) {
    INFO(pattern);
    CHECK(refused(pattern));
  }
  CHECK(refused(std::string(65, 'a')));
  CHECK(refused(std::string(100, '(') + std::string(100, ')')));
  CHECK(refused("(((((){64}){64}){64}){64}){64}"));
}

TEST_CASE("patterns that hang other engines take linear time") {
  const std::string text(200'000, 'a');
  CHECK_FALSE(found("(a*)*b", text));
  CHECK_FALSE(found("(a|aa)+$x", text));
  CHECK_FALSE(found("(.*)(.*)(.*)(.*)(.*)[^a]", text));
}

TEST_CASE("patterns agree with std::regex on random patterns and texts") {
  std::mt19937 random(61);
  const auto make = [&](auto&& self, int depth) -> std::string {
    // In separate statements, since the evaluation order of operands is unspecified.
    const auto joined = [&](const char* between) {
      const std::string first = self(self, depth - 1);
      return first + between + self(self, depth - 1);
    };
    switch (random() % (depth == 0 ? 5 : 9)) {
      case 0:
      case 1:
        return {static_cast<char>('a' + random() % 3)};
      case 2:
        return ".";
      case 3:
        return random() % 2 == 0 ? "[ab]" : "[^b]";
      case 4:
        return random() % 4 == 0 ? "^" : random() % 3 == 0 ? "$" : "c";
      case 5:
        return "(" + joined("|") + ")";
      case 6: {
        const char repeat = "*+?"[random() % 3];
        return "(?:" + self(self, depth - 1) + ")" + repeat;
      }
      case 7: {
        const auto least = random() % 2;
        const auto more = random() % 2;
        return "(" + self(self, depth - 1) + "){" + std::to_string(least) + "," + std::to_string(1 + more) +
               "}";
      }
      default:
        return joined("");
    }
  };
  int matched = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string pattern = make(make, 4);
    const auto compiled = NamePattern::compile(pattern);
    if (!compiled.ok()) continue;  // more than 64 positions
    const std::regex reference(pattern, std::regex::ECMAScript | std::regex::icase);
    for (int i = 0; i < 5; ++i) {
      std::string text;
      for (std::size_t k = random() % 7; k > 0; --k) text += "abcABC"[random() % 6];
      INFO(pattern, " in ", text);
      const bool expected = std::regex_search(text, reference);
      matched += expected ? 1 : 0;
      REQUIRE(compiled.value().found_in(text) == expected);
    }
  }
  CHECK(matched > 1000);
}
