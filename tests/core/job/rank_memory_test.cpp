// Memory of a rank: its peak, kept however few points are left of its curve.
#include "core/job/rank_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::MemoryPoint;
using kino::RankMemory;

TEST_CASE("the peak of a rank's memory and what was there at a moment") {
  const std::vector<MemoryPoint> points{{10, 5}, {20, 9}, {20, 7}, {40, 2}};
  const RankMemory memory = kino::rank_memory(points);
  CHECK(memory.peak_bytes == 9);
  CHECK(memory.peak_ns == 20);
  CHECK(memory.curve == points);
  CHECK(memory.bytes_at(9) == -1);
  CHECK(memory.bytes_at(10) == 5);
  CHECK(memory.bytes_at(39) == 7);
  CHECK(memory.bytes_at(1000) == 2);
  CHECK(kino::peak_within(points, 0, 5) == -1);
  CHECK(kino::peak_within(points, 0, 20) == 5);
  CHECK(kino::peak_within(points, 15, 30) == 9);
  CHECK(kino::peak_within(points, 25, 50) == 7);  // what is there at its begin counts
  CHECK(kino::rank_memory({}).peak_bytes == -1);
}

TEST_CASE("of many points few are left, and the highest is among them") {
  std::mt19937_64 random(7);
  std::vector<MemoryPoint> points;
  for (std::int64_t i = 0; i < 100'000; ++i)
    points.push_back({i * 100, static_cast<std::int64_t>(random() % 1'000'000'000)});
  const RankMemory memory = kino::rank_memory(points);
  CHECK(memory.curve.size() <= RankMemory::kMostPoints);
  CHECK(std::ranges::max_element(memory.curve, {}, &MemoryPoint::bytes)->bytes == memory.peak_bytes);
  CHECK(memory.peak_bytes == kino::peak_within(points, INT64_MIN, INT64_MAX));
  CHECK(std::ranges::is_sorted(memory.curve, {}, &MemoryPoint::time_ns));
  CHECK(memory.curve.back() == points.back());
}
