// Covers: row_window
// The slices of a row in a range, compared with a check of each slice.
#include "core/trace/row_window.hpp"

#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/trace_fixture.hpp"

TEST_CASE("a row's window contains exactly the slices in the range, for any range") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<kino::FixtureSlice> slices;
    std::int64_t at = 0;
    for (std::uint32_t i = random() % 8; i > 0; --i) {
      at +=
          static_cast<std::int64_t>(random() % 4) + (slices.empty() || slices.back().duration_ns > 0 ? 0 : 1);
      const auto length = static_cast<std::int64_t>(random() % 4);
      slices.push_back({at, length, 0});
      at += length;
    }
    kino::TraceFixture fixture;
    const kino::RowId row = fixture.add_row(slices);
    const auto trace = fixture.build();
    const kino::Row& of = trace->rows[kino::index_of(row)];
    for (std::int64_t begin = -1; begin < 30; ++begin) {
      for (std::int64_t end = begin; end < 30; ++end) {
        const kino::TimeRange range{begin, end};
        const kino::SliceWindow window = kino::row_window(*trace, of, range);
        REQUIRE(window.first <= window.last);
        for (std::uint32_t i = 0; i < slices.size(); ++i) {
          const bool inside = window.first <= i && i < window.last;
          REQUIRE(inside == kino::in_range(range, slices[i].start_ns, slices[i].duration_ns));
        }
      }
    }
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(kino::row_window(*trace, of, {kLeast, kMost}).size() == slices.size());
  }
}
