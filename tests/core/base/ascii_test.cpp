// Covers: ascii
// Characters and texts compared without a locale.
#include "core/base/ascii.hpp"

#include <doctest/doctest.h>

TEST_CASE("text search ignores case for ASCII letters only") {
  CHECK(kino::contains_ignoring_case("aten::AddMM", "addmm"));
  CHECK(kino::contains_ignoring_case("anything", ""));
  CHECK_FALSE(kino::contains_ignoring_case("add", "addmm"));
  CHECK_FALSE(kino::contains_ignoring_case("\xC3\x84", "\xC3\xA4"));  // Ä, ä
}

TEST_CASE("white space is trimmed from both ends, not from the middle") {
  CHECK(kino::trimmed(" \t two words\r\n") == "two words");
  CHECK(kino::trimmed(" \n ").empty());
}
