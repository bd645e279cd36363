// Covers: time_bounds
#include "core/trace/build/time_bounds.hpp"

#include <doctest/doctest.h>

using kino::TimeBounds;

TEST_CASE("an event at 0 among epoch times is not content, and is counted") {
  TimeBounds bounds;
  for (std::int64_t i = 0; i < 100; ++i) bounds.add(1'700'000'000'000'000'000 + i * 1'000'000, 50 + i);
  bounds.add(0, 7);
  bounds.finish();
  CHECK(bounds.origin_ns() == 1'700'000'000'000'000'000);
  CHECK(bounds.content().length_ns() == 99'000'000);
  CHECK(bounds.range().begin_ns == -1'700'000'000'000'000'000);
  CHECK(bounds.outliers() == 1);
  CHECK(bounds.first_outlier_offset() == 7);
}

TEST_CASE("a long quiet trace has no outliers") {
  TimeBounds bounds;
  for (std::int64_t minute = 0; minute < 600; ++minute) bounds.add(minute * 60'000'000'000, 0);
  bounds.finish();
  CHECK(bounds.outliers() == 0);
  CHECK(bounds.content() == bounds.range());
}

TEST_CASE("times at the ends of 64 bits do not overflow") {
  TimeBounds bounds;
  bounds.add(-4'000'000'000'000'000'000, 0);
  bounds.add(4'000'000'000'000'000'000, 1);
  bounds.add(0, 2);
  bounds.finish();
  CHECK(bounds.content().length_ns() >= 0);
  CHECK(bounds.range().length_ns() >= bounds.content().length_ns());
}

TEST_CASE("a trace without times has an empty range") {
  TimeBounds bounds;
  bounds.finish();
  CHECK(bounds.range() == kino::TimeRange{0, 0});
  CHECK(bounds.outliers() == 0);
}
