// Covers: ruler
#include "app/ui/widgets/ruler.hpp"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("ticks are at 1, 2 or 5 times a power of ten and never nearer than requested") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-1.3, 9);
  for (int i = 0; i < 2000; ++i) {
    const TimeView view{std::pow(10, exponent(random)) * 50, std::pow(10, exponent(random)), 1400};
    const RulerScale scale = ruler_scale(view, 110);
    const double step_px = static_cast<double>(scale.step_ns) / view.ns_per_px;
    CHECK(step_px >= 110 - 1e-6);
    CHECK((step_px <= 110 * 2.5 + 1e-6 || scale.step_ns == 1));
    std::int64_t mantissa = scale.step_ns;
    while (mantissa % 10 == 0) mantissa /= 10;
    CHECK((mantissa == 1 || mantissa == 2 || mantissa == 5));
    if (scale.minor_ns > 0) CHECK(scale.step_ns % scale.minor_ns == 0);
    CHECK(scale.decimals <= 3);
    CHECK(tick_text(scale, scale.base_ns + 20 * scale.step_ns).size() <= 14);
  }
}

TEST_CASE("the unit fits the visible range") {
  CHECK(tick_text(ruler_scale({0, 1e6, 1000}, 100), 200'000'000) == "0.2 s");
  CHECK(tick_text(ruler_scale({0, 1e5, 1000}, 100), 20'000'000) == "20 ms");
  CHECK(tick_text(ruler_scale({0, 100, 1000}, 100), 20'000) == "20 µs");
  CHECK(tick_text(ruler_scale({0, 0.05, 1000}, 100), 20) == "20 ns");
  CHECK(tick_text(ruler_scale({-5e9, 1e7, 1000}, 100), -1'000'000'000) == "-1 s");
}

TEST_CASE("far from zero, labels are relative to a base that is shown once with all its digits") {
  const RulerScale scale = ruler_scale({12'345'678'050, 1, 1000}, 100);
  CHECK(scale.relative);
  CHECK(scale.step_ns == 100);
  CHECK(base_text(scale) == "12.345 678 s");
  CHECK(tick_text(scale, 12'345'678'200) == "+200 ns");
  CHECK_FALSE(ruler_scale({12'345'678'050, 1e6, 1000}, 100).relative);
}

TEST_CASE("consecutive labels differ") {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> exponent(-1.3, 9);
  for (int i = 0; i < 500; ++i) {
    const TimeView view{std::pow(10, exponent(random)) * 3, std::pow(10, exponent(random)), 900};
    const RulerScale scale = ruler_scale(view, 90);
    const std::int64_t first = static_cast<std::int64_t>(view.begin_ns) / scale.step_ns * scale.step_ns;
    CHECK(tick_text(scale, first) != tick_text(scale, first + scale.step_ns));
  }
}
