// Covers: lanes
#include "core/trace/build/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Slice {
  std::int64_t start;
  std::int64_t end;
};

/// The rule by definition: the parent is the innermost earlier slice that is open and encloses; the lane is
/// its lane + 1, or the next one that is free.
struct Expected {
  std::uint32_t lane;
  std::uint32_t parent;
};
std::vector<Expected> by_definition(const std::vector<Slice>& slices) {
  std::vector<Expected> result;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    Expected place{0, kino::LaneAssigner::kNoParent};
    for (std::size_t j = i; j-- > 0;) {
      if (slices[j].end > slices[i].start && slices[j].end >= slices[i].end) {
        place = {result[j].lane + 1, static_cast<std::uint32_t>(j)};
        break;
      }
    }
    const auto busy = [&](std::uint32_t lane) {
      for (std::size_t j = 0; j < i; ++j) {
        if (result[j].lane == lane && slices[j].end > slices[i].start) return true;
      }
      return false;
    };
    while (busy(place.lane)) ++place.lane;
    result.push_back(place);
  }
  return result;
}

std::vector<Slice> sorted(std::vector<Slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  return slices;
}

}  // namespace

TEST_CASE("nested slices get their depth as lane and the enclosing slice as parent") {
  kino::LaneAssigner lanes;
  CHECK(lanes.place(0, 100, 10).lane == 0);
  const auto child = lanes.place(10, 50, 11);
  CHECK(child.lane == 1);
  CHECK(child.parent == 10);
  CHECK(lanes.place(10, 20, 12).parent == 11);
  CHECK(lanes.place(60, 100, 13).parent == 10);
  const auto next = lanes.place(100, 110, 14);
  CHECK(next.lane == 0);
  CHECK(next.parent == kino::LaneAssigner::kNoParent);
  CHECK(lanes.lane_count() == 3);
}

TEST_CASE("a partial overlap is put into another lane and reported as spilled") {
  kino::LaneAssigner lanes;
  CHECK_FALSE(lanes.place(0, 100, 0).spilled);
  const auto overlap = lanes.place(50, 150, 1);
  CHECK(overlap.lane == 1);
  CHECK(overlap.parent == kino::LaneAssigner::kNoParent);
  CHECK(overlap.spilled);
}

TEST_CASE("the lane rule equals its definition on 3000 random inputs, and rows are disjoint") {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Slice> slices(1 + random() % 40);
    const int span = 5 + static_cast<int>(random() % 200);
    for (Slice& slice : slices) {
      slice.start = static_cast<std::int64_t>(random() % static_cast<unsigned>(span));
      slice.end = slice.start + static_cast<std::int64_t>(random() % (round % 2 == 0 ? 12 : 60));
    }
    slices = sorted(slices);
    const std::vector<Expected> expected = by_definition(slices);
    kino::LaneAssigner lanes;
    std::vector<std::int64_t> last_end;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto got = lanes.place(slices[i].start, slices[i].end, static_cast<std::uint32_t>(i));
      REQUIRE(got.lane == expected[i].lane);
      REQUIRE(got.parent == expected[i].parent);
      if (got.lane >= last_end.size()) last_end.resize(got.lane + 1, INT64_MIN);
      REQUIRE(last_end[got.lane] <= slices[i].start);
      last_end[got.lane] = slices[i].end;
    }
    REQUIRE(lanes.lane_count() == last_end.size());
  }
}

TEST_CASE("many slices that all overlap get a lane each") {
  kino::LaneAssigner lanes;
  constexpr std::uint32_t kCount = 100'000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    REQUIRE(lanes.place(i, 10'000'000 + i, i).lane == i);
  }
  CHECK(lanes.lane_count() == kCount);
}
