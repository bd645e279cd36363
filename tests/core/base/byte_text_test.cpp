// Covers: byte_text
#include "core/base/byte_text.hpp"

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using kino::byte_step;
using kino::byte_tick_text;
using kino::ByteUnits;
using kino::text_from_bytes;

TEST_CASE("bytes are written with three significant digits, in decimal units") {
  CHECK(text_from_bytes(0, ByteUnits::decimal) == "0 B");
  CHECK(text_from_bytes(999, ByteUnits::decimal) == "999 B");
  CHECK(text_from_bytes(1000, ByteUnits::decimal) == "1.00 kB");
  CHECK(text_from_bytes(1.234e9, ByteUnits::decimal) == "1.23 GB");
  CHECK(text_from_bytes(12.34e6, ByteUnits::decimal) == "12.3 MB");
  CHECK(text_from_bytes(999.9e3, ByteUnits::decimal) == "1.00 MB");
  CHECK(text_from_bytes(123.4e12, ByteUnits::decimal) == "123 TB");
  CHECK(text_from_bytes(-2048, ByteUnits::decimal) == "-2.05 kB");
  CHECK(text_from_bytes(std::numeric_limits<double>::quiet_NaN(), ByteUnits::decimal) == "? B");
}

TEST_CASE("bytes in binary units have three significant digits") {
  CHECK(text_from_bytes(0, ByteUnits::binary) == "0 B");
  CHECK(text_from_bytes(999, ByteUnits::binary) == "999 B");
  CHECK(text_from_bytes(1024, ByteUnits::binary) == "1.00 KiB");
  CHECK(text_from_bytes(1000, ByteUnits::binary) == "0.977 KiB");
  CHECK(text_from_bytes(-2048, ByteUnits::binary) == "-2.00 KiB");
  CHECK(text_from_bytes(80.0 * 1024 * 1024 * 1024, ByteUnits::binary) == "80.0 GiB");
  CHECK(text_from_bytes(80e9, ByteUnits::binary) == "74.5 GiB");
  CHECK(text_from_bytes(1020.0 * 1024, ByteUnits::binary) == "0.996 MiB");
}

TEST_CASE("byte units have one name everywhere") {
  for (const ByteUnits units : {ByteUnits::decimal, ByteUnits::binary})
    CHECK(kino::byte_units_named(kino::name_of(units)) == units);
  CHECK_FALSE(kino::byte_units_named("gib").has_value());
}

TEST_CASE("ticks of bytes have enough digits to differ") {
  CHECK(byte_step(10e9, 10, ByteUnits::decimal) == 1'000'000'000);
  CHECK(byte_step(12e9, 10, ByteUnits::decimal) == 2'000'000'000);
  CHECK(byte_step(1, 10, ByteUnits::decimal) == 1);
  CHECK(byte_tick_text(12'000'000'000, 2'000'000'000, 13e9, ByteUnits::decimal) == "12 GB");
  CHECK(byte_tick_text(12'345'000'000, 5'000'000, 13e9, ByteUnits::decimal) == "12.345 GB");
  CHECK(byte_tick_text(500, 100, 900, ByteUnits::decimal) == "500 B");
}

TEST_CASE("the ticks of an axis of bytes are finite for any sizes in a file") {
  for (const ByteUnits units : {ByteUnits::decimal, ByteUnits::binary}) {
    CHECK(kino::byte_ticks(1.5, 4, 10, units).at == std::vector<std::uint64_t>{2, 3, 4});
    for (const double low : {0.0, 1e18, 9e18, 1.8e19}) {
      for (const double high : {1.0, 9.2e18, 1.9e19, 1e300}) {
        CAPTURE(low);
        CAPTURE(high);
        CHECK(kino::byte_ticks(low, high, 10, units).at.size() < 30);
      }
    }
  }
}

TEST_CASE("ticks in binary units have exact distances of powers of two") {
  constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
  CHECK(byte_step(10e9, 10, ByteUnits::binary) == kGibi);
  CHECK(byte_step(12e9, 10, ByteUnits::binary) == 2 * kGibi);
  CHECK(byte_step(1, 10, ByteUnits::binary) == 1);
  CHECK(byte_tick_text(12 * kGibi, 2 * kGibi, 13e9, ByteUnits::binary) == "12 GiB");
  CHECK(byte_tick_text(kGibi / 4, kGibi / 4, 2e9, ByteUnits::binary) == "0.25 GiB");
  CHECK(byte_tick_text(11 * kGibi / 8, kGibi / 8, 2e9, ByteUnits::binary) == "1.375 GiB");
  CHECK(byte_tick_text(40 * kGibi + (kGibi >> 10), kGibi >> 10, 80e9, ByteUnits::binary) == "40 961 MiB");
  CHECK(byte_tick_text(512, 128, 900, ByteUnits::binary) == "512 B");
}
