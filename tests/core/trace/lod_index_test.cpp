// Covers: lod_index
#include "core/trace/lod_index.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace kino {
namespace {

LodIndex index_for(std::uint64_t slice_count) {
  LodIndex index;
  index.longest = Column<std::uint32_t>(LodIndex::longest_size(slice_count));
  index.busy_prefix_ns = Column<std::int64_t>(LodIndex::busy_size(slice_count));
  return index;
}

std::uint32_t longest_by_hand(const std::vector<std::int64_t>& duration, std::uint32_t first,
                              std::uint32_t last) {
  std::uint32_t best = first;
  for (std::uint32_t i = first; i < last; ++i) {
    if (duration[i] > duration[best]) best = i;
  }
  return best;
}

void check_against_brute_force(const std::vector<std::int64_t>& duration, std::mt19937_64& random,
                               int queries) {
  const auto count = static_cast<std::uint32_t>(duration.size());
  LodIndex index = index_for(count);
  index.build_row({}, duration);
  for (int i = 0; i < queries; ++i) {
    auto first = static_cast<std::uint32_t>(random() % count);
    auto last = static_cast<std::uint32_t>(random() % count);
    if (first > last) std::swap(first, last);
    if (i == 0) first = 0;
    if (i < 2) last = count - 1;
    ++last;
    REQUIRE(index.longest_in({}, duration, first, last) == longest_by_hand(duration, first, last));
    std::int64_t busy = 0;
    for (std::uint32_t k = first; k < last; ++k) busy += duration[k];
    REQUIRE(index.busy_in({}, duration, first, last) == busy);
  }
}

TEST_CASE("the longest slice and busy time of a range of five slices equal values worked by hand") {
  const std::vector<std::int64_t> duration{3, 9, 1, 9, 4};
  LodIndex index = index_for(5);
  index.build_row({}, duration);
  CHECK(index.longest_in({}, duration, 0, 5) == 1);
  CHECK(index.longest_in({}, duration, 2, 5) == 3);
  CHECK(index.longest_in({}, duration, 2, 3) == 2);
  CHECK(index.busy_in({}, duration, 1, 4) == 19);
  CHECK(index.busy_in({}, duration, 2, 2) == 0);
}

TEST_CASE("an empty row needs no tree and has no busy time") {
  LodIndex index = index_for(0);
  index.build_row({}, {});
  CHECK(LodIndex::longest_size(0) == 0);
  CHECK(index.busy_in({}, {}, 0, 0) == 0);
}

TEST_CASE("the index costs at most 4/15 + 1/8 bytes per slice and a few entries") {
  for (const std::uint64_t count : {1ULL, 16ULL, 17ULL, 256ULL, 257ULL, 1'000'000ULL, 4'294'967'295ULL}) {
    CHECK(LodIndex::longest_size(count) * 15 <= count + 15 * 8);
    CHECK(LodIndex::busy_size(count) * 64 <= count + 64);
  }
}

TEST_CASE("longest and busy time agree with brute force on random rows of every small size") {
  std::mt19937_64 random(1);
  for (std::uint32_t count = 1; count < 700; ++count) {
    std::vector<std::int64_t> duration(count);
    const std::uint64_t spread = count % 3 == 0 ? 3 : 1'000'000;  // many equals, or few
    for (std::int64_t& ns : duration) ns = static_cast<std::int64_t>(random() % spread);
    check_against_brute_force(duration, random, 40);
  }
}

TEST_CASE("longest and busy time agree with brute force on a row of several tree levels") {
  std::mt19937_64 random(2);
  for (const std::uint32_t count : {4096U, 4097U, 65'536U, 70'001U}) {
    std::vector<std::int64_t> duration(count);
    for (std::int64_t& ns : duration) ns = static_cast<std::int64_t>(random() % 50'000);
    check_against_brute_force(duration, random, 300);
  }
}

TEST_CASE("the first of equally long slices is the longest") {
  const std::vector<std::int64_t> duration(5000, 7);
  LodIndex index = index_for(duration.size());
  index.build_row({}, duration);
  for (std::uint32_t first = 0; first < 600; ++first) {
    REQUIRE(index.longest_in({}, duration, first, 5000) == first);
  }
}

TEST_CASE("rows in one index are independent of each other") {
  std::mt19937_64 random(3);
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<LodRow> places;
  LodRow next;
  for (int r = 0; r < 50; ++r) {
    std::vector<std::int64_t> duration(random() % 900);
    for (std::int64_t& ns : duration) ns = static_cast<std::int64_t>(random() % 100);
    places.push_back(next);
    next.longest_offset += LodIndex::longest_size(duration.size());
    next.busy_offset += LodIndex::busy_size(duration.size());
    rows.push_back(std::move(duration));
  }
  LodIndex index;
  index.longest = Column<std::uint32_t>(next.longest_offset);
  index.busy_prefix_ns = Column<std::int64_t>(next.busy_offset);
  for (std::size_t r = rows.size(); r-- > 0;) index.build_row(places[r], rows[r]);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto count = static_cast<std::uint32_t>(rows[r].size());
    if (count == 0) continue;
    std::int64_t busy = 0;
    for (const std::int64_t ns : rows[r]) busy += ns;
    CHECK(index.longest_in(places[r], rows[r], 0, count) == longest_by_hand(rows[r], 0, count));
    CHECK(index.busy_in(places[r], rows[r], 0, count) == busy);
  }
}

TEST_CASE("durations of hundreds of years do not overflow the sums") {
  std::vector<std::int64_t> duration(200, 0);
  duration[10] = std::numeric_limits<std::int64_t>::max();
  duration[150] = std::numeric_limits<std::int64_t>::max();
  LodIndex index = index_for(duration.size());
  index.build_row({}, duration);
  CHECK(index.busy_in({}, duration, 100, 200) == std::numeric_limits<std::int64_t>::max());
  CHECK(index.longest_in({}, duration, 0, 200) == 10);
}

}  // namespace
}  // namespace kino
