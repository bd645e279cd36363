// Covers: size_sets
#include "core/memory/categories/size_sets.hpp"

#include <random>

#include <doctest/doctest.h>

using kino::SizeCounts;

namespace {

SizeCounts model(std::uint64_t copies) {
  SizeCounts sizes{{1000, 12}, {4000, 24}, {5000, 2}, {64, 24}};
  for (auto& [size, count] : sizes) count *= copies;
  return sizes;
}

}  // namespace

TEST_CASE("counts copies of a model, also among other tensors") {
  CHECK(kino::copies_in(model(3), model(1)).copies == 3);
  CHECK(kino::copies_in(model(3), model(1)).exact_share == 1.0);
  SizeCounts more = model(2);
  more[7777] = 5;
  more[64] += 3;
  CHECK(kino::copies_in(more, model(1)).copies == 2);
  CHECK(kino::copies_in(more, model(1)).exact_share < 1.0);
  CHECK(kino::copies_in({}, model(1)).copies == 0);
  CHECK(kino::copies_in(model(1), {}).copies == 0);
}

TEST_CASE("a few tensors of one size are not a model") {
  CHECK(kino::copies_in({{1000, 300}}, {{1000, 100}}).copies == 0);
  CHECK(kino::copies_in({{1000, 30}, {10, 30}}, {{1000, 3}, {10, 3}}).copies == 0);
  // Enough tensors of all sizes, but no exact count.
  CHECK(kino::copies_in({{1000, 17}, {4000, 31}, {5000, 5}, {64, 99}}, model(1)).copies == 0);
}

TEST_CASE("the number of copies is the largest with 95 % of the bytes") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SizeCounts reference;
    SizeCounts sizes;
    for (std::uint64_t size = 1; size <= 12; ++size) {
      reference[size * 100] = 1 + random() % 4;
      sizes[size * 100] = random() % 9;
    }
    std::uint64_t best = 0;
    for (std::uint64_t copies = 1; copies < 12; ++copies) {
      std::uint64_t held = 0;
      for (const auto& [size, count] : reference)
        if (sizes[size] >= copies * count) held += size * count;
      if (static_cast<double>(held) >= 0.95 * static_cast<double>(kino::bytes_of(reference))) best = copies;
    }
    const std::uint64_t found = kino::copies_in(sizes, reference).copies;
    CHECK((found == best || found == 0));
  }
}

TEST_CASE("the number of layers is the largest number of which most counts are multiples") {
  CHECK(kino::layers_in({{1 << 20, 24}, {4 << 20, 48}, {5 << 20, 1}}) == 24);
  CHECK(kino::layers_in({{1 << 20, 24}, {4 << 20, 49}, {512, 50}}) == 24);
  CHECK(kino::layers_in({{1 << 20, 24}}) == 0);
  CHECK(kino::layers_in({}) == 0);
}

TEST_CASE("three or four equal sets are parameters with state, other numbers are not") {
  CHECK(kino::equal_sets_in({{4 << 20, 36}, {8 << 20, 3}, {512, 9}}) == 3);
  CHECK(kino::equal_sets_in({{4 << 20, 8}, {8 << 20, 4}}) == 4);
  CHECK(kino::equal_sets_in({{4 << 20, 8}, {8 << 20, 2}}) == 0);
  CHECK(kino::equal_sets_in({}) == 0);
}

TEST_CASE("a multiset can be halved only if all counts are even") {
  CHECK(kino::half_of(model(2)) == model(1));
  CHECK_FALSE(kino::half_of({{8, 3}}));
}
