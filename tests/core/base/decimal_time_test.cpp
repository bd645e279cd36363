// Covers: time_text, decimal_time
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/base/time_text.hpp"

using kino::ns_from_decimal_us;

TEST_CASE("decimal microseconds become ns exactly, to the last digit") {
  CHECK(ns_from_decimal_us("1712195495519761.132") == 1712195495519761132);
  CHECK(ns_from_decimal_us("0") == 0);
  CHECK(ns_from_decimal_us("5") == 5000);
  CHECK(ns_from_decimal_us("-0.5") == -500);
  CHECK(ns_from_decimal_us("+7.25") == 7250);
  CHECK(ns_from_decimal_us("3.") == 3000);
  CHECK(ns_from_decimal_us(".5") == 500);
  CHECK(ns_from_decimal_us("9223372036854775.807") == INT64_MAX);
}

TEST_CASE("digits beyond the nanosecond round half away from zero") {
  CHECK(ns_from_decimal_us("1.0004") == 1000);
  CHECK(ns_from_decimal_us("1.0005") == 1001);
  CHECK(ns_from_decimal_us("1.00049999") == 1000);
  CHECK(ns_from_decimal_us("-1.0005") == -1001);
  CHECK(ns_from_decimal_us("0.9999") == 1000);
}

TEST_CASE("a duration with digits beyond the nanosecond ends at its rounded end") {
  using kino::duration_ns_from_decimal_us;
  CHECK(duration_ns_from_decimal_us("1.0005", "7.123") == 1001);   // 7.123 has no such digits
  CHECK(duration_ns_from_decimal_us("1.0006", "7.1236") == 1000);  // 8.1242
  CHECK(duration_ns_from_decimal_us("1.0004", "7.1234") == 1001);  // 8.1238
  CHECK(duration_ns_from_decimal_us("1.0004", "7.1230") == 1000);
  CHECK(duration_ns_from_decimal_us("0.00002", "7.1235") == 0);
  CHECK(duration_ns_from_decimal_us("0.57600000000002183", "7.12450001") == 575);  // 7.7005
  CHECK(duration_ns_from_decimal_us("-1.0006", "7.1236") == -1001);
  CHECK_FALSE(duration_ns_from_decimal_us("NaN", "7.1236").has_value());
  std::mt19937_64 random(8);
  const auto us_of = [](std::uint64_t ps) {
    const std::string digits = std::to_string(1'000'000 + ps % 1'000'000);
    return std::to_string(ps / 1'000'000) + "." + digits.substr(1);
  };
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t start_ps = random() % 1'000'000'000;
    const std::uint64_t duration_ps = random() % 10'000;
    const std::string start = us_of(start_ps);
    const auto ns = duration_ns_from_decimal_us(us_of(duration_ps), start);
    CAPTURE(start);
    REQUIRE(ns.has_value());
    CHECK(*ns >= 0);
    CHECK(*ns_from_decimal_us(start) + *ns <= *ns_from_decimal_us(us_of(start_ps + duration_ps)));
    CHECK(std::abs(*ns * 1000 - static_cast<std::int64_t>(duration_ps)) <= 1000);
  }
}

TEST_CASE("exponents are parsed") {
  CHECK(ns_from_decimal_us("1.2e3") == 1200000);
  CHECK(ns_from_decimal_us("1.712195495519761132E15") == 1712195495519761132);
  CHECK(ns_from_decimal_us("12345e-2") == 123450);
  CHECK(ns_from_decimal_us("-2.5e+1") == -25000);
  CHECK(ns_from_decimal_us("1e-7") == 0);
  CHECK(ns_from_decimal_us("1712195495519761132e-3") == 1712195495519761132);
  CHECK(ns_from_decimal_us("-17121954955197611320000e-7") == -1712195495519761132);
  CHECK_FALSE(ns_from_decimal_us("1712195495519761132e0").has_value());
}

TEST_CASE("Kineto's negative times are parsed") {
  CHECK(ns_from_decimal_us("-1.-500") == -1500);
  CHECK(ns_from_decimal_us("0.-500") == -500);
}

TEST_CASE("malformed numbers and numbers beyond 64 bits have no time") {
  for (const char* text : {"", "-", ".", "abc", "1a", "NaN", "Infinity", "--1", "1.2.3", "1e", "1e999",
                           "0x10", " 1", "9223372036854775.808", "99999999999999999999", "1e40"}) {
    CAPTURE(text);
    CHECK_FALSE(ns_from_decimal_us(text).has_value());
  }
}

TEST_CASE("random times survive formatting and parsing") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() >> (1 + random() % 62));
    std::string digits = std::to_string(ns % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    const std::string text = std::to_string(ns / 1000) + "." + digits;
    CHECK(ns_from_decimal_us(text) == ns);
    CHECK(ns_from_decimal_us("-" + text) == -ns);
  }
}
