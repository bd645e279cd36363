// Covers: lod_tile
#include "core/trace/timeline/lod_tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct SliceTile {
  std::vector<TileInstance> instances;
  std::vector<TileLabel> labels;
};

SliceTile emit(const Trace& trace, TilePlace place) {
  SliceTile tile;
  emit_slices(SliceRow::of(trace, RowId{0}), place, tile.instances, tile.labels);
  return tile;
}

std::shared_ptr<const Trace> one_row(std::vector<FixtureSlice> slices) {
  TraceFixture fixture;
  fixture.add_row(std::move(slices));
  return fixture.build();
}

/// Disjoint slices with gaps, zero durations, touching neighbors and a wide range of lengths.
std::vector<FixtureSlice> random_row(std::mt19937_64& random, std::int64_t start_ns, int length_bits) {
  std::vector<FixtureSlice> slices(1 + random() % 60);
  std::int64_t now = start_ns;
  std::uint32_t name = 0;
  for (FixtureSlice& slice : slices) {
    const auto skewed = [&] {
      return static_cast<std::int64_t>(random() >> (64 - 1 - random() % length_bits));
    };
    if (random() % 3 != 0) now += skewed();
    slice = {now, random() % 5 == 0 ? 0 : skewed(), name++};
    now += slice.duration_ns;
  }
  return slices;
}

/// Returns the tiles of a level with the start, the end and the middle of each slice.
std::set<std::int64_t> tile_numbers(const std::vector<FixtureSlice>& slices, int level) {
  std::set<std::int64_t> numbers;
  for (const FixtureSlice& slice : slices) {
    const std::int64_t first = TilePlace::at(level, slice.start_ns).number;
    const std::int64_t last = TilePlace::at(level, slice.start_ns + slice.duration_ns).number;
    numbers.insert({first, last, first + (last - first) / 2});
  }
  return numbers;
}

/// Checks one tile against its definition, bin by bin, looking at every slice.
void check_tile(const std::vector<FixtureSlice>& slices, TilePlace place, const SliceTile& tile) {
  const double origin = static_cast<double>(place.origin_ns());
  const double length = static_cast<double>(place.length_ns());
  const double tolerance = static_cast<double>(place.bin_ns()) / 8;
  const auto inside = [&](std::int64_t ns) { return ns >= place.origin_ns() && ns <= place.last_ns(); };
  const auto near = [&](float x, std::int64_t ns) {
    return std::abs(static_cast<double>(x) - std::clamp(static_cast<double>(ns) - origin, 0.0, length)) <=
           tolerance + std::abs(origin) * 0x1p-52;  // the test's own subtraction is in double
  };
  REQUIRE(tile.instances.size() <= 2 * kTileBins + 1);

  std::vector<std::vector<std::uint32_t>> expected;  // slices of each instance, in order
  std::map<std::uint64_t, std::vector<std::uint32_t>> bins;
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    const FixtureSlice& slice = slices[i];
    const std::int64_t end = slice.start_ns + slice.duration_ns;
    if (slice.start_ns < place.origin_ns() && end > place.origin_ns()) expected.push_back({i});
    if (inside(slice.start_ns)) {
      const std::uint64_t from_origin =
          static_cast<std::uint64_t>(slice.start_ns) - static_cast<std::uint64_t>(place.origin_ns());
      bins[from_origin >> place.level].push_back(i);
    }
  }
  for (const auto& [bin, members] : bins) {
    std::vector<std::uint32_t> cell;
    std::vector<std::uint32_t> solids;
    for (const std::uint32_t i : members) {
      const bool solid = static_cast<std::uint64_t>(slices[i].duration_ns) >= place.bin_ns();
      (solid ? solids : cell).push_back(i);
    }
    REQUIRE(solids.size() <= 1);
    if (!cell.empty()) expected.push_back(cell);
    if (!solids.empty()) expected.push_back(solids);
  }

  REQUIRE(tile.instances.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const TileInstance& got = tile.instances[k];
    const std::vector<std::uint32_t>& members = expected[k];
    const FixtureSlice& first = slices[members.front()];
    const FixtureSlice& last = slices[members.back()];
    std::uint32_t longest = members.front();
    double busy = 0;
    for (const std::uint32_t i : members) {
      busy += static_cast<double>(slices[i].duration_ns);
      if (slices[i].duration_ns > slices[longest].duration_ns) longest = i;
    }
    const std::int64_t end = last.start_ns + last.duration_ns;
    const double extent = static_cast<double>(end - first.start_ns);
    const bool continued = first.start_ns < place.origin_ns();
    const bool solid = continued || static_cast<std::uint64_t>(first.duration_ns) >= place.bin_ns();
    REQUIRE(got.paint == slices[longest].name);
    REQUIRE(got.count == members.size());
    REQUIRE(near(got.x0_ns, first.start_ns));
    REQUIRE(near(got.x1_ns, end));
    REQUIRE(got.x0_ns >= 0);
    REQUIRE(got.x1_ns >= got.x0_ns);
    REQUIRE(static_cast<double>(got.x1_ns) <= length);
    REQUIRE(((got.flags & kTileSolid) != 0) == solid);
    REQUIRE(((got.flags & kTileContinuedLeft) != 0) == continued);
    REQUIRE(((got.flags & kTileContinuedRight) != 0) ==
            (solid && end > place.last_ns() && end - 1 > place.last_ns()));
    REQUIRE(got.coverage >= 1);
    const double share = extent > 0 ? busy / extent : 1;
    REQUIRE(std::abs(got.coverage - std::max(1.0, share * 255)) <= 0.51);
  }
}

void check_all_tiles(const std::vector<FixtureSlice>& slices, int level) {
  const auto trace = one_row(slices);
  std::size_t begun = 0;
  std::set<std::int64_t> starting_tiles;
  for (const FixtureSlice& slice : slices) starting_tiles.insert(TilePlace::at(level, slice.start_ns).number);
  for (const std::int64_t number : tile_numbers(slices, level)) {
    const TilePlace place{level, number};
    const SliceTile tile = emit(*trace, place);
    check_tile(slices, place, tile);
    for (const TileInstance& instance : tile.instances) {
      if ((instance.flags & kTileContinuedLeft) == 0) begun += instance.count;
    }
  }
  // Every slice begins in exactly one instance of the level.
  REQUIRE(begun == slices.size());
}

TEST_CASE("a bin's long slice stays exact and its short ones become one cell, worked by hand") {
  // Level 4: bins of 16 ns. Bin 0 has slices of 2 + 3 ns and then one of 20; bin 3 has one of 1.
  const auto trace = one_row({{0, 2, 1}, {4, 3, 2}, {10, 20, 3}, {50, 1, 4}});
  const SliceTile tile = emit(*trace, {4, 0});
  REQUIRE(tile.instances.size() == 3);
  const TileInstance& cell = tile.instances[0];
  CHECK(cell.x0_ns == 0);
  CHECK(cell.x1_ns == 7);
  CHECK(cell.paint == 2);
  CHECK(cell.count == 2);
  CHECK(cell.coverage == 182);  // 5 of 7 ns
  CHECK(cell.flags == 0);
  const TileInstance& solid = tile.instances[1];
  CHECK(solid.x0_ns == 10);
  CHECK(solid.x1_ns == 30);
  CHECK(solid.paint == 3);
  CHECK(solid.flags == kTileSolid);
  CHECK(tile.instances[2].paint == 4);
  CHECK(tile.instances[2].x0_ns == 50);
}

TEST_CASE("an empty row and an empty range have no instances") {
  CHECK(emit(*one_row({}), {3, 0}).instances.empty());
  CHECK(emit(*one_row({{0, 10, 0}}), {3, 7}).instances.empty());
  CHECK(emit(*one_row({{0, 10, 0}}), {3, -1}).instances.empty());
}

TEST_CASE("at every level every slice begins in exactly one instance, and cells have their longest slice" *
          doctest::test_suite("serial")) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1500; ++round) {
    const std::int64_t start = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
    const std::vector<FixtureSlice> slices = random_row(random, start, 1 + round % 24);
    for (const int level : {0, 1, 2, 3, 5, 8, 11, 14, 20, 30, 41, kMaxTileLevel})
      check_all_tiles(slices, level);
  }
}

TEST_CASE("tiles of rows of thousands of slices, where the search gallops over tree levels, are also exact") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 12; ++round) {
    std::vector<FixtureSlice> slices(3000 + random() % 3000);
    std::int64_t now = -500'000;
    for (FixtureSlice& slice : slices) {
      now += static_cast<std::int64_t>(random() % 100 == 0 ? random() % 100'000 : random() % 8);
      slice = {now, static_cast<std::int64_t>(random() % 60 == 0 ? random() % 3000 : random() % 20),
               static_cast<std::uint32_t>(random() % 90)};
      now += slice.duration_ns;
    }
    // Names repeat here. So all levels are checked by count, and by content only if they have few tiles.
    const auto trace = one_row(slices);
    for (int level = 0; level <= 16; ++level) {
      std::size_t begun = 0;
      const std::int64_t last = TilePlace::at(level, now).number;
      for (std::int64_t number = TilePlace::at(level, -500'000).number; number <= last; ++number) {
        const SliceTile tile = emit(*trace, {level, number});
        for (const TileInstance& instance : tile.instances) {
          if ((instance.flags & kTileContinuedLeft) == 0) begun += instance.count;
        }
        if (level >= 9) check_tile(slices, {level, number}, tile);
      }
      REQUIRE(begun == slices.size());
    }
  }
}

TEST_CASE("the ends of time neither overflow nor lose a slice at any level") {
  const std::vector<FixtureSlice> slices{{kMin, 0, 0}, {kMin, 5, 1}, {kMin + 5, 1, 2}, {-1, 1, 3},
                                         {0, 0, 4},    {0, 1, 5},    {kMax - 7, 6, 6}, {kMax - 1, 1, 7}};
  for (int level = 0; level <= kMaxTileLevel; ++level) check_all_tiles(slices, level);
}

TEST_CASE("a slice of ten hours is one exact solid in each tile that it touches") {
  constexpr std::int64_t kTenHours = 36'000'000'000'000;
  const auto trace = one_row({{-17, kTenHours, 0}});
  constexpr int kLastSolidLevel = 45;  // 2^45 ns is 9.8 h
  for (int level = 0; level <= kLastSolidLevel; ++level) {
    const std::int64_t last = TilePlace::at(level, kTenHours - 18).number;
    for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{0}, last / 2, last}) {
      const TilePlace place{level, number};
      const SliceTile tile = emit(*trace, place);
      REQUIRE(tile.instances.size() == 1);
      const bool begins = number == -1;
      const bool ends = number == last;
      CHECK(tile.instances[0].flags ==
            (kTileSolid | (begins ? 0 : kTileContinuedLeft) | (ends ? 0 : kTileContinuedRight)));
      if (!begins) CHECK(tile.instances[0].x0_ns == 0);
      if (!ends) CHECK(tile.instances[0].x1_ns == static_cast<float>(place.length_ns()));
      if (tile.labels.empty()) continue;
      CHECK(tile.labels[0].start_ns == -17);
      CHECK(tile.labels[0].end_ns == kTenHours - 17);
    }
  }
}

TEST_CASE("a slice that ends at a tile's edge does not continue, one that begins there is in the next") {
  const auto trace = one_row({{0, 512, 0}, {512, 512, 1}});
  const SliceTile first = emit(*trace, {0, 0});
  REQUIRE(first.instances.size() == 1);
  CHECK(first.instances[0].flags == kTileSolid);
  const SliceTile second = emit(*trace, {0, 1});
  REQUIRE(second.instances.size() == 1);
  CHECK(second.instances[0].paint == 1);
  CHECK(second.instances[0].flags == kTileSolid);
}

TEST_CASE("coverage is the busy share of a cell") {
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < 100; ++i) slices.push_back({i * 100, 1, 0});
  const SliceTile sparse = emit(*one_row(slices), {14, 0});
  REQUIRE(sparse.instances.size() == 1);
  CHECK(sparse.instances[0].coverage == 3);  // 1 % of 255
  for (FixtureSlice& slice : slices) slice.duration_ns = 100;
  const SliceTile full = emit(*one_row(slices), {14, 0});
  CHECK(full.instances[0].coverage == 255);
}

TEST_CASE("every solid of twelve bins or more has an exact label candidate, at level 0 every solid") {
  const auto trace = one_row({{0, 11 * 64, 0}, {2000, 12 * 64, 1}, {40'000, 3, 2}});
  const SliceTile coarse = emit(*trace, {6, 0});
  REQUIRE(coarse.labels.size() == 1);
  CHECK(coarse.labels[0].slice == SliceId{1});
  CHECK(coarse.labels[0].start_ns == 2000);
  CHECK(coarse.labels[0].end_ns == 2000 + 12 * 64);
  CHECK(emit(*trace, TilePlace::at(0, 40'000)).labels.size() == 1);
}

TEST_CASE("the level makes a bin one to two pixels wide") {
  CHECK(tile_level(0.001) == 0);
  CHECK(tile_level(1) == 0);
  CHECK(tile_level(1.0001) == 1);
  CHECK(tile_level(2) == 1);
  CHECK(tile_level(1024) == 10);
  CHECK(tile_level(1025) == 11);
  CHECK(tile_level(1e300) == kMaxTileLevel);
  CHECK(tile_level(std::numeric_limits<double>::quiet_NaN()) == 0);
  for (double ns_per_px = 1.01; ns_per_px < 1e15; ns_per_px *= 1.37) {
    const double bin_px = std::ldexp(1.0, tile_level(ns_per_px)) / ns_per_px;
    REQUIRE(bin_px >= 1);
    REQUIRE(bin_px < 2);
  }
}

TEST_CASE("every instant is in exactly one instance at every level") {
  std::mt19937_64 random(13);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> times(1 + random() % 200);
    for (std::int64_t& time : times) {
      time = static_cast<std::int64_t>(random() % 5'000'000) - 2'500'000;
      if (random() % 40 == 0) time = random() % 2 == 0 ? kMin : kMax;
    }
    std::sort(times.begin(), times.end());
    for (const int level : {0, 1, 4, 9, 13, 22, kMaxTileLevel}) {
      std::set<std::int64_t> numbers;
      for (const std::int64_t time : times) numbers.insert(TilePlace::at(level, time).number);
      std::size_t seen = 0;
      for (const std::int64_t number : numbers) {
        std::vector<TileInstance> instances;
        emit_instants(times, {level, number}, instances);
        REQUIRE(instances.size() <= kTileBins);
        for (const TileInstance& instance : instances) {
          seen += instance.count;
          REQUIRE(instance.x1_ns - instance.x0_ns <= static_cast<float>(TilePlace{level, number}.bin_ns()));
        }
      }
      REQUIRE(seen == times.size());
    }
  }
}

std::vector<CounterInstance> emit_samples(const std::vector<FixtureSample>& samples, TilePlace place) {
  std::vector<std::int64_t> times;
  std::vector<double> values;
  for (const FixtureSample& sample : samples) {
    times.push_back(sample.time_ns);
    values.push_back(sample.value);
  }
  std::vector<CounterInstance> instances;
  emit_counter(times, values, place, instances);
  return instances;
}

TEST_CASE("a counter holds its value until the next sample, also from before the tile, worked by hand") {
  // Level 2: bins of 4 ns, a tile of 2048.
  const std::vector<FixtureSample> samples{{-100, 5}, {8, 1}, {9, 7}, {10, 3}, {100, 4}};
  const std::vector<CounterInstance> tile = emit_samples(samples, {2, 0});
  REQUIRE(tile.size() == 4);
  const auto is = [](const CounterInstance& c, float x0, float x1, float min, float max) {
    return c.x0_ns == x0 && c.x1_ns == x1 && c.min_value == min && c.max_value == max;
  };
  CHECK(is(tile[0], 0, 8, 5, 5));
  CHECK(is(tile[1], 8, 10, 1, 7));
  CHECK(is(tile[2], 10, 100, 3, 3));
  CHECK(is(tile[3], 100, 2048, 4, 4));
  const std::vector<CounterInstance> later = emit_samples(samples, {2, 9});
  REQUIRE(later.size() == 1);
  CHECK(is(later[0], 0, 2048, 4, 4));
  CHECK(emit_samples(samples, {2, -2}).empty());
  CHECK(emit_samples({}, {2, 0}).empty());
}

TEST_CASE("at every level samples are inside the counter's envelope, which has no other values") {
  std::mt19937_64 random(14);
  for (int round = 0; round < 400; ++round) {
    std::vector<FixtureSample> samples(1 + random() % 150);
    for (FixtureSample& sample : samples) {
      sample = {static_cast<std::int64_t>(random() % 300'000) - 150'000,
                static_cast<double>(random() % 1000) - 300};
    }
    std::sort(samples.begin(), samples.end(),
              [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    std::set<double> values;
    for (const FixtureSample& sample : samples) values.insert(sample.value);
    for (const int level : {0, 2, 5, 9, 12, 20, kMaxTileLevel}) {
      std::map<std::int64_t, std::vector<CounterInstance>> tiles;
      for (const FixtureSample& sample : samples) {
        const TilePlace place = TilePlace::at(level, sample.time_ns);
        if (!tiles.contains(place.number)) tiles[place.number] = emit_samples(samples, place);
        bool covered = false;
        const auto offset = static_cast<float>(static_cast<std::uint64_t>(sample.time_ns) -
                                               static_cast<std::uint64_t>(place.origin_ns()));
        for (const CounterInstance& c : tiles[place.number]) {
          const auto value = static_cast<float>(sample.value);
          covered = covered ||
                    (c.x0_ns <= offset && offset <= c.x1_ns && c.min_value <= value && value <= c.max_value);
        }
        REQUIRE(covered);
      }
      for (const auto& [number, instances] : tiles) {
        REQUIRE(instances.size() <= 2 * kTileBins + 1);
        for (std::size_t i = 0; i < instances.size(); ++i) {
          REQUIRE(values.contains(static_cast<double>(instances[i].min_value)));
          REQUIRE(values.contains(static_cast<double>(instances[i].max_value)));
          if (i > 0) REQUIRE(instances[i].x0_ns == instances[i - 1].x1_ns);  // no gaps
        }
      }
    }
  }
}

TEST_CASE("non-finite counter values are skipped, huge ones are clamped") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<CounterInstance> tile =
      emit_samples({{0, 2}, {10, infinity}, {20, std::nan("")}, {30, 1e300}}, {0, 0});
  REQUIRE(tile.size() == 2);
  CHECK(tile[0].max_value == 2);
  CHECK(tile[0].x1_ns == 30);
  CHECK(tile[1].max_value == std::numeric_limits<float>::max());
}

}  // namespace

TEST_CASE("a tile uses the given keys for its paint, and fades instances without a hit") {
  std::vector<FixtureSlice> slices{{0, 100'000, 0}, {100'000, 100'000, 0}};
  for (std::int64_t i = 0; i < 100; ++i) slices.push_back({204'800 + i * 10, i == 50 ? 9 : 1, 0});
  for (std::int64_t i = 0; i < 100; ++i) slices.push_back({225'280 + i * 10, 1, 0});
  const auto trace = one_row(slices);
  std::vector<std::uint32_t> keys(slices.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i;
  SliceSet hits(slices.size());
  for (const std::uint32_t hit : {1U, 70U, 80U}) hits.insert(hit);
  const auto tile_of = [&](const SlicePaint& paint) {
    std::vector<TileInstance> instances;
    std::vector<TileLabel> labels;
    emit_slices(SliceRow::of(*trace, RowId{0}).painted(paint), {12, 0}, instances, labels);
    return instances;
  };
  const auto shared_keys = std::make_shared<const std::vector<std::uint32_t>>(keys);
  const auto by_keys = tile_of({shared_keys, nullptr});
  REQUIRE(by_keys.size() == 4);
  CHECK(by_keys[0].paint == 0);
  CHECK(by_keys[1].paint == 1);
  CHECK(by_keys[2].paint == 52);  // the longest
  for (const auto& instance : by_keys) CHECK((instance.flags & kTileFaded) == 0);
  const auto with_hits = tile_of({shared_keys, std::make_shared<const SliceSet>(hits)});
  REQUIRE(with_hits.size() == 4);
  CHECK((with_hits[0].flags & kTileFaded) != 0);
  CHECK((with_hits[1].flags & kTileFaded) == 0);
  CHECK((with_hits[2].flags & kTileFaded) == 0);
  CHECK(with_hits[2].paint == 70);  // the first hit
  CHECK((with_hits[3].flags & kTileFaded) != 0);
  CHECK(with_hits[3].paint == 102);
}

TEST_CASE("a packed row has the keys and hits of its original slices") {
  std::vector<FixtureSlice> slices;
  for (std::int64_t i = 0; i < 50; ++i) slices.push_back({i * 10, 5, 0});
  const auto trace = one_row(slices);
  std::vector<SliceId> original;
  std::vector<std::uint32_t> keys(50);
  for (std::uint32_t i = 0; i < 50; ++i) {
    original.push_back(SliceId{49 - i});
    keys[i] = 100 + i;
  }
  SliceSet hits(50);
  hits.insert(40);
  const SlicePaint paint{std::make_shared<const std::vector<std::uint32_t>>(keys),
                         std::make_shared<const SliceSet>(hits)};
  SliceRow row = SliceRow::of(*trace, RowId{0}).painted(paint);
  row.original = original;
  std::vector<TileInstance> fine;
  std::vector<TileInstance> coarse;
  std::vector<TileLabel> labels;
  emit_slices(row, {0, 0}, fine, labels);
  REQUIRE(fine.size() == 50);
  for (std::uint32_t i = 0; i < 50; ++i) {
    CHECK(fine[i].paint == 149 - i);
    CHECK(((fine[i].flags & kTileFaded) == 0) == (i == 9));
  }
  emit_slices(row, {12, 0}, coarse, labels);
  REQUIRE(coarse.size() == 1);
  CHECK(coarse[0].paint == 140);
  CHECK((coarse[0].flags & kTileFaded) == 0);
}

}  // namespace kino
