// Covers: launch_table
#include "core/trace/build/launch_table.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

using kino::LaunchTable;
using kino::SliceId;

TEST_CASE("a launch table has the earliest launch of each id, and nothing for others") {
  CHECK(LaunchTable(0).find(1) == kino::kNoSlice);
  CHECK_FALSE(LaunchTable(0).contains(0));
  std::mt19937 random(3);
  constexpr std::uint32_t kLaunches = 1000;
  LaunchTable table(kLaunches);
  std::map<std::uint32_t, std::uint32_t> truth;
  for (std::uint32_t i = 0; i < kLaunches; ++i) {
    // Close together, and far apart with equal low bits.
    const std::uint32_t id = 1 + random() % 600 * (random() % 2 == 0 ? 1 : 1U << 20);
    const std::uint32_t slice = random() % 5000;
    table.add({id, SliceId{slice}});
    const auto [known, added] = truth.emplace(id, slice);
    if (!added) known->second = std::min(known->second, slice);
  }
  for (std::uint32_t id = 0; id < 2000; ++id) {
    const auto known = truth.find(id);
    CHECK(table.contains(id) == (known != truth.end()));
    CHECK(table.find(id) == (known != truth.end() ? SliceId{known->second} : kino::kNoSlice));
  }
}
