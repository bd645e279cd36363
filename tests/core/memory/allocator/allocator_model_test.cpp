// Covers: allocator_model, allocator_rules, free_blocks
#include "core/memory/allocator/allocator_model.hpp"

#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/memory/allocator/free_blocks.hpp"

using kino::AllocatorModel;
using kino::AllocatorRules;

namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

struct Made {
  explicit Made(const AllocatorRules& rules = {}) : device(true), model(rules, device) {
    place = model.add_place(0, 0, true, true);
  }
  kino::SyntheticDevice device;
  AllocatorModel model;
  kino::PlaceId place = 0;
};

}  // namespace

TEST_CASE("rounds requests and sizes segments as PyTorch does") {
  AllocatorRules rules;
  CHECK(rules.rounded(1) == 512);
  CHECK(rules.rounded(513) == 1024);
  CHECK(rules.segment_for(kMib) == 2 * kMib);
  CHECK(rules.segment_for(kMib + 512) == 20 * kMib);
  CHECK(rules.segment_for(11 * kMib) == 12 * kMib);
  rules.divisions.fill(4);
  CHECK(rules.rounded(1200 * 1024) == 1280 * 1024);
  CHECK(rules.rounded(kMib) == kMib);
  rules.padding = 32;
  rules.divisions.fill(0);
  CHECK(rules.rounded(512) == 1024);
}

TEST_CASE("splits off small blocks and merges free neighbors") {
  Made made;
  const std::uint32_t a = made.model.allocate(made.place, 1000);
  const std::uint32_t b = made.model.allocate(made.place, 1000);
  CHECK(made.model.addr_of(b) == made.model.addr_of(a) + 1024);
  CHECK(made.model.reserved() == 2 * kMib);
  CHECK(made.model.active() == 2048);
  made.model.complete(a);
  made.model.complete(b);
  CHECK(made.model.free_sums().largest == 2 * kMib);
  made.model.release_cached();
  CHECK(made.model.reserved() == 0);
}

TEST_CASE("splits off the remainder of a large block only above 1 MiB") {
  Made made;
  const std::uint32_t block = made.model.allocate(made.place, 19 * kMib + 512 * 1024);
  CHECK(made.model.size_of(block) == 20 * kMib);
}

TEST_CASE(
    "expandable segments fit a request that failed due to fragmentation, but not one that is too large") {
  // Two segments of 40 MiB with 2 MiB in use each: 76 of 80 MiB are free, in two blocks that cannot be
  // released.
  const auto fits = [](bool expandable, std::uint64_t bytes) {
    AllocatorRules rules;
    rules.expandable = expandable;
    rules.capacity = 100 * kMib;
    Made made(rules);
    const std::uint32_t first = made.model.allocate(made.place, 40 * kMib);
    const std::uint32_t second = made.model.allocate(made.place, 40 * kMib);
    made.model.complete(first);
    made.model.allocate(made.place, 2 * kMib);
    const std::uint32_t filling = made.model.allocate(made.place, 38 * kMib);
    made.model.complete(second);
    made.model.allocate(made.place, 2 * kMib);
    made.model.complete(filling);
    CHECK(made.model.active() == 4 * kMib);
    return made.model.allocate(made.place, bytes) != kino::kNoBlock;
  };
  CHECK_FALSE(fits(false, 60 * kMib));
  CHECK(fits(true, 60 * kMib));
  CHECK_FALSE(fits(true, 80 * kMib));
}

TEST_CASE("memory pending for another stream is not reused, but a release ends the wait") {
  AllocatorRules rules;
  rules.capacity = 20 * kMib;
  Made made(rules);
  const std::uint32_t block = made.model.allocate(made.place, 12 * kMib);
  made.model.request_free(block);
  CHECK(made.model.active() == 12 * kMib);
  const std::uint32_t next = made.model.allocate(made.place, 14 * kMib);
  CHECK(next != kino::kNoBlock);
  CHECK(made.model.counts().retries == 1);
  CHECK(made.model.reserved() == 14 * kMib);
}

TEST_CASE("expandable segments grow by the missing bytes and release whole granules") {
  AllocatorRules rules;
  rules.expandable = true;
  Made made(rules);
  const std::uint32_t a = made.model.allocate(made.place, 30 * kMib);
  CHECK(made.model.reserved() == 40 * kMib);
  const std::uint32_t b = made.model.allocate(made.place, 25 * kMib);
  CHECK(made.model.addr_of(b) == made.model.addr_of(a) + static_cast<std::int64_t>(30 * kMib));
  CHECK(made.model.reserved() == 60 * kMib);
  made.model.complete(a);
  made.model.release_cached();
  CHECK(made.model.reserved() == 40 * kMib);
  CHECK(made.model.free_sums().largest == 10 * kMib);
}

TEST_CASE("free blocks stay sorted by size and address") {
  std::mt19937 random(3);
  kino::FreeBlocks blocks;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> plain;
  for (std::uint32_t round = 0; round < 6000; ++round) {
    const std::uint64_t size = random() % 50;
    const auto addr = static_cast<std::int64_t>(random() % 100);
    if (plain.contains({size, addr})) {
      plain.erase({size, addr});
      blocks.erase({size, addr, 0});
    } else {
      plain.emplace(std::pair(size, addr), round);
      blocks.insert({size, addr, round});
    }
    const std::uint64_t wanted = random() % 55;
    const auto expected = plain.lower_bound({wanted, INT64_MIN});
    const auto found = blocks.first_of(wanted);
    REQUIRE((found == blocks.end()) == (expected == plain.end()));
    if (expected != plain.end()) CHECK(blocks.at(found).block == expected->second);
  }
  std::size_t count = 0;
  blocks.visit([&](const kino::FreeBlock&) { ++count; });
  CHECK(count == plain.size());
}

TEST_CASE("parses settings like PyTorch, and ignores settings that do not affect blocks") {
  const auto made =
      kino::rules_with({}, "expandable_segments:True,max_split_size_mb:128,pinned_num_register_threads:8");
  REQUIRE(made.ok());
  CHECK(made.value().expandable);
  CHECK(made.value().max_split == 128 * kMib);
  const auto list = kino::rules_with({}, "roundup_power2_divisions:[256:1,512:2,>:8]");
  REQUIRE(list.ok());
  CHECK(list.value().divisions[7] == 1);
  CHECK(list.value().divisions[9] == 2);
  CHECK(list.value().divisions[15] == 8);
  CHECK(kino::rules_with({}, "capacity_mb=100").value().capacity == 100 * kMib);
  for (const char* const wrong : {"max_split_size_mb:5", "expandable_segments:perhaps", "no_such_thing:1",
                                  "garbage_collection_threshold:2", "backend:cudaMallocAsync",
                                  "roundup_power2_divisions:3", "max_split_size_mb:99999999999999999999"})
    CHECK_FALSE(kino::rules_with({}, wrong).ok());
}

TEST_CASE("reports settings that cannot be parsed, with the reason") {
  CHECK(kino::rules_with({}, "max_split_size_mb:5").error().what ==
        "max_split_size_mb cannot be 5: the value must be at least 20 (MiB)");
  CHECK(kino::rules_with({}, "expandable_segments:perhaps").error().what.str(kino::Language::japanese) ==
        "expandable_segments に perhaps は指定できません：True または False で指定します");
}
