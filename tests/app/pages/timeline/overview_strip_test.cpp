// Covers: overview_heights
// The columns of the overview strip show every part, and fit.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "app/ui/view/overview_heights.hpp"

using namespace kino;

TEST_CASE("rounds shares to whole pixels, and nothing to none") {
  CHECK(heights_of({}, 26, 14) == OverviewHeights{});
  CHECK(heights_of({0.5F, 0.25F, 0, 1}, 20, 10) == OverviewHeights{10, 5, 0, 10});
}

TEST_CASE("every non-zero share gets a pixel") {
  const OverviewHeights heights = heights_of({0.999F, 0.0001F, 0.0001F, 0.0001F}, 20, 10);
  CHECK(heights.communication == 1);
  CHECK(heights.copy == 1);
  CHECK(heights.cpu == 1);
  CHECK(heights.compute == 18);
}

TEST_CASE("overlapping kinds share the height") {
  CHECK(heights_of({1, 1, 0, 0}, 20, 10) == OverviewHeights{10, 10, 0, 0});
}

TEST_CASE("the parts of random columns fit into the strip") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> share(0, 1);
  for (int i = 0; i < 10'000; ++i) {
    const int height = 3 + i % 100;
    const OverviewHeights heights =
        heights_of({share(random), share(random), share(random) * 0.01F, share(random)}, height, height);
    REQUIRE(heights.compute + heights.communication + heights.copy <= height);
    REQUIRE(std::min({heights.compute, heights.communication, heights.copy}) >= 1);
    REQUIRE(heights.cpu <= height);
  }
}
