// Covers: slice_groups
#include "core/trace/build/slice_groups.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using kino::EventBatch;
using kino::SliceGroups;
using kino::SliceRecord;

namespace {

void add(EventBatch& batch, std::uint64_t offset) {
  SliceRecord record;
  record.source_offset = offset;
  batch.slices.push_back(record);
}

std::vector<std::uint64_t> visited(SliceGroups& groups, std::span<const EventBatch> batches, bool release) {
  std::vector<std::uint64_t> offsets;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    groups.visit(
        group,
        [&](std::size_t batch, const SliceRecord& record) {
          REQUIRE(batch < batches.size());
          offsets.push_back(record.source_offset);
        },
        [] { return false; });
    if (release) groups.release(group);
  }
  return offsets;
}

}  // namespace

TEST_CASE("slices of several batches are in file order, for any number of groups") {
  std::mt19937 random(5);
  for (const std::size_t count : {0, 1, 300, 200'000}) {
    std::vector<EventBatch> batches(3);
    std::size_t owner = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (random() % 100 == 0) owner = random() % batches.size();
      add(batches[owner], 7 * i);
    }
    for (const std::size_t most : {1, 2, 64}) {
      SliceGroups groups(batches, most);
      const std::vector<std::uint64_t> offsets = visited(groups, batches, most == 64);
      REQUIRE(offsets.size() == count);
      CHECK(std::is_sorted(offsets.begin(), offsets.end()));
    }
  }
}

TEST_CASE("every slice of an unordered batch is visited exactly once") {
  std::mt19937 random(6);
  std::vector<EventBatch> batches(2);
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back(random() % 100'000);
    add(batches[random() % 2], expected.back());
  }
  SliceGroups groups(batches, 16);
  std::vector<std::uint64_t> offsets = visited(groups, batches, false);
  std::sort(offsets.begin(), offsets.end());
  std::sort(expected.begin(), expected.end());
  CHECK(offsets == expected);
}

TEST_CASE("visiting a group ends soon after a stop request") {
  std::vector<EventBatch> batches(2);
  for (std::uint64_t i = 0; i < 1000; ++i) add(batches[i % 2], i);
  const SliceGroups groups(batches, 1);
  int seen = 0;
  groups.visit(
      0, [&](std::size_t, const SliceRecord&) { ++seen; }, [&] { return seen >= 10; });
  CHECK(seen == 10);
}
