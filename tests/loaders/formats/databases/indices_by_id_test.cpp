// Covers: indices_by_id
// Indices by id, compared with a map of the standard library.
#include "loaders/formats/databases/indices_by_id.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

TEST_CASE("an id keeps its first index, and unknown ids have none") {
  kino::IndicesById numbers;
  CHECK(numbers.find(0) == kino::IndicesById::kNone);
  CHECK(numbers.add(7, 3) == 3);
  CHECK(numbers.add(7, 4) == 3);
  CHECK(numbers.find(7) == 3);
  CHECK(numbers.find(6) == kino::IndicesById::kNone);
  CHECK(numbers.find(7 + 16) == kino::IndicesById::kNone);
  CHECK(numbers.add(~std::uint64_t{0}, 5) == 5);
  CHECK(numbers.find(~std::uint64_t{0}) == 5);
}

TEST_CASE("indices by id equal those of a map, in any order of ids") {
  std::mt19937_64 random(7);
  kino::IndicesById numbers;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const bool in_order = random() % 4 != 0;
    const std::uint64_t id = in_order ? ++next : random() % 30'000 * (random() % 2 == 0 ? 1 : 0x100000001U);
    CHECK(numbers.add(id, i) == expected.try_emplace(id, i).first->second);
  }
  for (std::uint64_t id = 0; id < 40'000; ++id) {
    const auto found = expected.find(id);
    CHECK(numbers.find(id) == (found == expected.end() ? kino::IndicesById::kNone : found->second));
  }
}
