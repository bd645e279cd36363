// Covers: clock_fit
// Clock conversion in both directions, with the documented rounding, for times of all sizes.
#include "core/job/clock_fit.hpp"

#include <cstdint>
#include <limits>
#include <random>

#include <doctest/doctest.h>

using namespace kino;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kOneSecond = 1'000'000'000;

ClockFit fit_with(std::int64_t offset_ns, std::int64_t drift_ppb, std::int64_t around_ns) {
  ClockFit fit;
  fit.offset_ns = offset_ns;
  fit.drift_ppb = drift_ppb;
  fit.around_ns = around_ns;
  return fit;
}

}  // namespace

TEST_CASE("adds and subtracts the offset if there is no drift") {
  const ClockFit fit = fit_with(250, 0, 77);
  CHECK(fit.second_from_first(-1000) == -750);
  CHECK(fit.first_from_second(-750) == -1000);
  CHECK(ClockFit{}.second_from_first(42) == 42);
}

TEST_CASE("applies the drift on both sides of the time of the offset") {
  const ClockFit fit = fit_with(5000, 40'000, 10 * kOneSecond);  // 40 ppm
  CHECK(fit.second_from_first(10 * kOneSecond) == 10 * kOneSecond + 5000);
  CHECK(fit.second_from_first(11 * kOneSecond) == 11 * kOneSecond + 5000 + 40'000);
  CHECK(fit.second_from_first(8 * kOneSecond) == 8 * kOneSecond + 5000 - 80'000);
  CHECK(fit.first_from_second(11 * kOneSecond + 45'000) == 11 * kOneSecond);
  CHECK(fit.first_from_second(8 * kOneSecond - 75'000) == 8 * kOneSecond);
  const ClockFit slower = fit_with(0, -1'000'000, 0);
  CHECK(slower.second_from_first(kOneSecond) == 999 * kOneSecond / 1000);
  CHECK(slower.first_from_second(999 * kOneSecond / 1000) == kOneSecond);
}

TEST_CASE("rounds the drift to the nearest ns, halves up") {
  const ClockFit fit = fit_with(0, 500, 0);  // half a ns per ms
  CHECK(fit.second_from_first(999'999) == 999'999);
  CHECK(fit.second_from_first(1'000'000) == 1'000'001);
  CHECK(fit.second_from_first(-1'000'000) == -1'000'000);
  CHECK(fit.second_from_first(-1'000'001) == -1'000'002);
  CHECK(fit.first_from_second(1'000'001) == 1'000'000);
}

TEST_CASE("is exact to the ns over a century, unlike a double") {
  const std::int64_t century = 3'155'760'000 * kOneSecond;
  const ClockFit fit = fit_with(1, 1, 0);
  CHECK(fit.second_from_first(century) == century + 1 + 3'155'760'000);
  CHECK(fit.first_from_second(century + 1 + 3'155'760'000) == century);
  CHECK(fit.first_from_second(century + 2 + 3'155'760'000) == century + 1);
}

TEST_CASE("saturates results beyond 64 bits") {
  CHECK(fit_with(kMost, 0, 0).second_from_first(1) == kMost);
  CHECK(fit_with(kMost, 0, 0).first_from_second(-2) == kLeast);
  CHECK(fit_with(0, 1'000'000, kLeast).second_from_first(kMost) == kMost);
  CHECK(fit_with(kLeast, -1'000'000, kMost).second_from_first(kLeast) == kLeast);
  CHECK(fit_with(kMost, -1'000'000, kLeast).first_from_second(kLeast) == kLeast);
}

TEST_CASE("round trips are exact if the second clock is not slower, else off by 1 ns at most") {
  std::mt19937_64 random(15);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  for (int round = 0; round < 200'000; ++round) {
    const std::int64_t reach = std::int64_t{1} << (1 + below(61));
    const ClockFit fit =
        fit_with(below(reach) - reach / 2, below(2'000'001) - 1'000'000, below(reach) - reach / 2);
    const std::int64_t time = below(reach) - reach / 2;
    const std::int64_t there = fit.second_from_first(time);
    const std::int64_t back = fit.first_from_second(there);
    const std::int64_t here = fit.first_from_second(time);
    const std::int64_t again = fit.second_from_first(here);
    REQUIRE((back >= time - 1 && back <= time + 1));
    REQUIRE((again >= time - 1 && again <= time + 1));
    REQUIRE((fit.drift_ppb < 0 || back == time));
    REQUIRE((fit.drift_ppb > 0 || again == time));
    REQUIRE(fit.second_from_first(time + 1) >= there);
    REQUIRE(fit.first_from_second(time + 1) >= here);
  }
}

TEST_CASE("rounds the drift correctly at small and large times: the error is at most half a ns") {
  std::mt19937_64 random(16);
  for (int round = 0; round < 100'000; ++round) {
    const auto drift = static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000;
    const auto since =
        static_cast<std::int64_t>(random() % (std::uint64_t{1} << 42)) - (std::int64_t{1} << 41);
    const ClockFit fit = fit_with(0, drift, 0);
    const std::int64_t gained = fit.second_from_first(since) - since;
    // since * drift is below 2^61, so it can be checked in 64 bits.
    const std::int64_t twice = 2 * (since * drift - gained * kOneSecond);
    REQUIRE((twice < kOneSecond && twice >= -kOneSecond));
  }
}

TEST_CASE("keeps corresponding times when the origins of the recordings change") {
  const ClockFit fit = fit_with(700, 30'000, 4 * kOneSecond);
  const ClockFit moved = fit.with_later_origins(3 * kOneSecond, 40);
  for (const std::int64_t time : {std::int64_t{0}, 3 * kOneSecond + 1, 5 * kOneSecond, 3600 * kOneSecond}) {
    CHECK(moved.second_from_first(time - 3 * kOneSecond) == fit.second_from_first(time) - 40);
    CHECK(moved.first_from_second(time - 40) == fit.first_from_second(time) - 3 * kOneSecond);
  }
  CHECK(fit_with(kMost, 0, 0).with_later_origins(kMost, kLeast).offset_ns == kMost);
}
