// Covers: statistics
// Statistical tests against values computed by hand or by enumeration.
#include "core/tables/compare/statistics.hpp"

#include <cmath>

#include <doctest/doctest.h>

using Samples = std::vector<std::int64_t>;

TEST_CASE("the Mann-Whitney test is exact without ties: 2 of 20 arrangements of 3 and 3 are as far apart") {
  CHECK(kino::mann_whitney_p(Samples{1, 2, 3}, Samples{4, 5, 6}) == doctest::Approx(0.1));
  CHECK(kino::mann_whitney_p(Samples{4, 5, 6}, Samples{1, 2, 3}) == doctest::Approx(0.1));
  CHECK(kino::mann_whitney_p(Samples{1, 3, 5, 7, 9, 11}, Samples{20, 21, 22, 23, 24, 25}) ==
        doctest::Approx(2.0 / 924));
  CHECK(kino::mann_whitney_p(Samples{1}, Samples{2}) == doctest::Approx(1));
}

TEST_CASE("the Mann-Whitney test is approximate with ties, and finds no change in equal values") {
  CHECK(kino::mann_whitney_p(Samples{0, 0, 0}, Samples{5, 6, 7}) == doctest::Approx(0.06360256962075364));
  CHECK(kino::mann_whitney_p(Samples{4, 4, 4, 4}, Samples{4, 4, 4, 4}) == 1);
  CHECK(kino::mann_whitney_p({}, Samples{1}) == 1);
}

TEST_CASE("the bootstrap is deterministic, and finds no change in equal samples") {
  const Samples a{100, 101, 99, 100};
  const kino::ChangeInterval first = kino::bootstrap_change(a, a);
  const kino::ChangeInterval second = kino::bootstrap_change(a, a);
  CHECK(first.low == second.low);
  CHECK(first.high == second.high);
  CHECK(first.low < 0);
  CHECK(first.high > 0);
  CHECK(kino::bootstrap_pairs(a, a).high == 0);
  CHECK(kino::sign_flip_p(a, a) == 1);
}

TEST_CASE("a reused resampler of pairs gives the interval of a single bootstrap") {
  const Samples a{100, 120, 90, 110, 105, 98};
  const Samples b{104, 118, 99, 121, 103, 97};
  const kino::ChangeInterval once = kino::bootstrap_pairs(a, b);
  const kino::PairResampler resampler(a.size());
  for (int i = 0; i < 2; ++i) {
    const kino::ChangeInterval again = resampler.interval(a, b);
    CHECK(again.low == once.low);
    CHECK(again.high == once.high);
  }
}

TEST_CASE("the sign-flip test of six pairs that change alike: two of 64 sign patterns are as far apart") {
  CHECK(kino::sign_flip_p(Samples{1, 2, 3, 4, 5, 6}, Samples{2, 4, 6, 8, 10, 12}) ==
        doctest::Approx(2.0 / 64));
}

TEST_CASE("q-values increase with p, and the largest p is unchanged") {
  const std::vector<double> q = kino::false_discovery_rates(std::vector<double>{0.04, 0.01, 0.5, 0.02});
  CHECK(q[1] == doctest::Approx(0.04));
  CHECK(q[3] == doctest::Approx(0.04));
  CHECK(q[0] == doctest::Approx(0.04 * 4 / 3));
  CHECK(q[2] == doctest::Approx(0.5));
  CHECK(kino::false_discovery_rates({}).empty());
}

TEST_CASE("detects smaller changes with more samples, and needs two per side") {
  CHECK(std::isnan(kino::detectable_change(Samples{1}, Samples{1, 2})));
  CHECK(kino::detectable_change(Samples{9, 11}, Samples{9, 11}) ==
        doctest::Approx(2.8 * std::sqrt(2.0 / 2 + 2.0 / 2) / 10));
}
