// Covers: time_text
#include "core/base/time_text.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace kino;

TEST_CASE("a duration shows at most four significant digits and a unit that fits") {
  CHECK(text_from_duration(0) == "0 ns");
  CHECK(text_from_duration(850) == "850 ns");
  CHECK(text_from_duration(1000) == "1 µs");
  CHECK(text_from_duration(1234) == "1.234 µs");
  CHECK(text_from_duration(12'345) == "12.35 µs");
  CHECK(text_from_duration(12'340'000) == "12.34 ms");
  CHECK(text_from_duration(123'456'789) == "123.5 ms");
  CHECK(text_from_duration(1'500'000'000) == "1.5 s");
  CHECK(text_from_duration(59'990'000'000) == "59.99 s");
}

TEST_CASE("a duration that rounds up to the next unit is written in that unit") {
  CHECK(text_from_duration(999'999) == "1 ms");
  CHECK(text_from_duration(999'949) == "999.9 µs");
  CHECK(text_from_duration(999'999'999) == "1 s");
  CHECK(text_from_duration(59'999'999'999) == "1 min 0 s");
  CHECK(text_from_duration(3'599'999'999'999) == "1 h 0 min");
}

TEST_CASE("long durations are written in minutes and hours") {
  CHECK(text_from_duration(123'000'000'000) == "2 min 3 s");
  CHECK(text_from_duration(3'600'000'000'000) == "1 h 0 min");
  CHECK(text_from_duration(93'720'000'000'000) == "26 h 2 min");
}

TEST_CASE("negative durations and the extremes of 64 bits are written") {
  CHECK(text_from_duration(-12'340'000) == "-12.34 ms");
  CHECK(text_from_duration(std::numeric_limits<std::int64_t>::min()) == "-2562047 h 47 min");
  CHECK(exact_text_from_ns(std::numeric_limits<std::int64_t>::min()) == "-9 223 372 036 854 775.808 us");
}

TEST_CASE("exact text keeps every digit") {
  CHECK(exact_text_from_ns(0) == "0.000 us");
  CHECK(exact_text_from_ns(7) == "0.007 us");
  CHECK(exact_text_from_ns(-1500) == "-1.500 us");
  CHECK(exact_text_from_ns(1'712'195'495'519'761) == "1 712 195 495 519.761 us");
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const auto ns = static_cast<std::int64_t>(random());
    std::string digits;
    for (const char c : exact_text_from_ns(ns)) {
      if (c == '-' || (c >= '0' && c <= '9')) digits += c;
    }
    CHECK(std::stoll(digits) == ns);
  }
}

TEST_CASE("numbers are grouped by three digits") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1 000");
  CHECK(grouped(12'345'678) == "12 345 678");
  CHECK(grouped(std::numeric_limits<std::uint64_t>::max()) == "18 446 744 073 709 551 615");
}

TEST_CASE("a share is shown as all or nothing only if it is") {
  CHECK(kino::text_from_share(0) == "0.0 %");
  CHECK(kino::text_from_share(0.0001) == "< 0.1 %");
  CHECK(kino::text_from_share(0.1234) == "12.3 %");
  CHECK(kino::text_from_share(0.99999) == "99.9 %");
  CHECK(kino::text_from_share(1) == "100 %");
  CHECK(kino::text_from_share(1.5) == "150 %");
}

TEST_CASE("a formatted number is complete, however long it is") {
  CHECK(kino::formatted("%.3g ms", 12.3456) == "12.3 ms");
  CHECK(kino::formatted("%+.1f %%", -0.04) == "-0.0 %");
  CHECK(kino::formatted("%.3f", 1e308).size() == 313);
}
