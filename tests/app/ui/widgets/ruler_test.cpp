// Covers: ruler
#include "app/ui/widgets/ruler.hpp"

#include <cmath>
#include <limits>
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
  CHECK(tick_text(ruler_scale({0, 1e6, 1000}, 100), 200'000'000) == "200 ms");
  CHECK(tick_text(ruler_scale({0, 1.2e7, 1000}, 100), 2'000'000'000) == "2 s");
  CHECK(tick_text(ruler_scale({11e9, 1e6, 1000}, 100), 11'200'000'000) == "11.2 s");
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

TEST_CASE("labels have the ruler's unit and few digits, unless the unit does not suit them") {
  const RulerScale ms = ruler_scale({0, 1e6, 1000}, 100);
  CHECK(label_text(ms, 51'234'000) == "51 ms");
  CHECK(label_text(ms, 2'449'000) == "2.4 ms");
  CHECK(label_text(ms, 9'980'000) == "10 ms");
  CHECK(label_text(ms, 350'000) == "0.35 ms");
  CHECK(label_text(ms, 1'200'000'000) == "1200 ms");
  CHECK(label_text(ms, 35'000) == "35 µs");
  CHECK(label_text(ms, 20'000'000'000) == "20 s");
}

TEST_CASE("durations in labels are in the unit of the ruler if it has at most four digits before the point") {
  RulerScale ms;
  ms.unit_ns = 1'000'000;
  CHECK(ruler_duration_text(ms, 1'316'204'000) == "1316 ms");
  CHECK(ruler_duration_text(ms, 211'700'000) == "211.7 ms");
  CHECK(ruler_duration_text(ms, 35'000) == "35 µs");
  CHECK(ruler_duration_text(ms, 20'000'000'000) == "20 s");
  RulerScale seconds;
  seconds.unit_ns = 1'000'000'000;
  CHECK(ruler_duration_text(seconds, 1'316'204'000) == "1.316 s");
  CHECK(ruler_duration_text(seconds, 3'600'000'000'000) == "1 h 0 min");
}

TEST_CASE("exact times have all digits in the unit of the ruler") {
  CHECK(exact_time_text(0) == "0 ms");
  CHECK(exact_time_text(850) == "850 ns");
  CHECK(exact_time_text(-850) == "-850 ns");
  CHECK(exact_time_text(646'812) == "646.812 µs");
  CHECK(exact_time_text(52'574'000) == "52.574 ms");
  CHECK(exact_time_text(52'574'321) == "52.574 321 ms");
  CHECK(exact_time_text(9'999'000'001) == "9999.000 001 ms");
  CHECK(exact_time_text(12'345'678'000) == "12.345 678 s");
  CHECK(exact_time_text(12'000'000'001) == "12.000 000 001 s");
  CHECK(exact_time_text(1'500'000, 1'000'000'000) == "0.001 500 s");
  CHECK(exact_time_text(std::numeric_limits<std::int64_t>::min()).starts_with("-9223372036.854 775 808 s"));
}
