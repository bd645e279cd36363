// Covers: label_places
#include "app/pages/memory_plot/label_places.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kino::Box;
using kino::LabelPlaces;
using kino::places_along;
using kino::places_beside;

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

TEST_CASE("places the second label left of a line and the third below") {
  LabelPlaces places(Box{0, 0, 400, 200});
  const auto beside = places_beside(200, 200, 10, 100, 20, 4);
  const auto first = places.place(beside);
  const auto second = places.place(beside);
  const auto third = places.place(beside);
  REQUIRE((first && second && third));
  CHECK(first->left == 201);
  CHECK(second->right == 199);
  CHECK(second->top == first->top);
  CHECK(third->left == 201);
  CHECK(third->top >= first->bottom);
}

TEST_CASE("omits labels without a free place and places beyond the edge") {
  LabelPlaces places(Box{0, 0, 100, 50});
  CHECK(places.place(places_beside(10, 10, 0, 60, 20, 1)));
  CHECK_FALSE(places.place(places_beside(60, 60, 5, 60, 20, 1)));
  CHECK_FALSE(places.place({}));
  CHECK_FALSE(places.place(places_along(0, 100, 0, 101, 10, 5)));
}

TEST_CASE("places no label over reserved areas") {
  LabelPlaces places(Box{0, 0, 100, 50});
  places.keep_free({0, 0, 30, 10});
  const auto place = places.place(places_along(0, 100, 0, 20, 10, 5));
  REQUIRE(place);
  CHECK(place->left == 30);
}

TEST_CASE("places random labels without overlaps") {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-50, 650);
  for (int round = 0; round < 50; ++round) {
    LabelPlaces places(Box{0, 0, 600, 300});
    std::vector<Box> taken;
    for (int i = 0; i < 40; ++i) {
      const float x = any(random);
      const float top = any(random) / 2;
      const float width = 20 + std::abs(any(random)) / 3;
      const auto place = places.place(i % 2 == 0 ? places_beside(x, x + 4, top, width, 20, 4)
                                                 : places_along(4, 600, top, width, 20, 16));
      if (!place) continue;
      CHECK(place->left >= 0);
      CHECK(place->right <= 600);
      CHECK(place->top >= 0);
      CHECK(place->bottom <= 300);
      for (const Box& other : taken) CHECK_FALSE(overlap(*place, other));
      taken.push_back(*place);
    }
    CHECK(taken.size() > 5);
  }
}

}  // namespace
