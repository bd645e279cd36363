// Covers: slice_set
#include "core/base/slice_set.hpp"

#include <set>

#include <doctest/doctest.h>

TEST_CASE("a set of slices finds the first member of a range") {
  kino::SliceSet set(1000);
  const std::set<std::uint32_t> members{0, 63, 64, 130, 500, 999};
  for (const std::uint32_t member : members) set.insert(member);
  CHECK(set.count() == members.size());
  for (std::uint32_t first = 0; first <= 1000; first += 1) {
    CHECK((first == 1000 || set.contains(first) == members.contains(first)));
    for (const std::uint32_t last : {first, first + 1, first + 64, std::uint32_t{1000}}) {
      if (last > 1000 || last < first) continue;
      const auto found = members.lower_bound(first);
      const std::uint32_t expected = found == members.end() || *found >= last ? last : *found;
      REQUIRE(set.first_in(first, last) == expected);
    }
  }
  set.insert_word(1, 6);
  CHECK(set.contains(65));
  CHECK(set.contains(66));
  CHECK(set.word(1) == 7);
  CHECK(set.word_count() == 16);
}
