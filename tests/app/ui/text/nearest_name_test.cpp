// Covers: nearest_name
// A mistyped name leads to the closest known one, and other words lead to none.
#include "app/ui/text/nearest_name.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

TEST_CASE("the edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(kino::edit_distance("table", "table") == 0);
  CHECK(kino::edit_distance("tabel", "table") == 1);
  CHECK(kino::edit_distance("tables", "table") == 1);
  CHECK(kino::edit_distance("tale", "table") == 1);
  CHECK(kino::edit_distance("cable", "table") == 1);
  CHECK(kino::edit_distance("", "info") == 4);
  CHECK(kino::edit_distance("info", "") == 4);
  CHECK(kino::edit_distance("ofni", "info") == 3);
  CHECK(kino::edit_distance("wxyz", "info") == 4);
}

TEST_CASE("the closest name is found, the first of equally close ones, and none for other words") {
  constexpr std::string_view kKnown[] = {"slice", "thread", "name", "ts", "dur"};
  CHECK(kino::nearest_name("slise", kKnown) == "slice");
  CHECK(kino::nearest_name("thraed", kKnown) == "thread");
  CHECK(kino::nearest_name("nmae", kKnown) == "name");
  CHECK(kino::nearest_name("ts", kKnown) == "ts");
  CHECK(kino::nearest_name("duration", kKnown).empty());
  CHECK(kino::nearest_name("", kKnown).empty());
  CHECK(kino::nearest_name(std::string(100'000, 's'), kKnown).empty());
  constexpr std::string_view kEqual[] = {"cats", "cast"};
  CHECK(kino::nearest_name("cars", kEqual) == "cats");
  CHECK(kino::nearest_name("slice", {}).empty());
}
