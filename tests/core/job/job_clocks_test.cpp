// Covers: job_clocks, clock_causality
// Errors and bounds of clocks in small jobs, computed by hand.
#include "core/job/job_clocks.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

using kino_test::add;
using kino_test::MadeRank;
using kino_test::ranks_of;

TEST_CASE("a clock's hard interval covers all pairs of ranks, including the last to begin") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = 1'000'000 * i;
    add(digests[0], at, at + 100'000, i);
    add(digests[1], at + 30'000, at + 100'000, i);
    add(digests[2], at + 50'000, at + 100'000, i);
  }
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  const auto room = [&](std::size_t rank) {
    const kino::RankClock& clock = job.clocks.ranks[rank];
    return std::pair(clock.least_ns.value(), clock.most_ns.value());
  };
  CHECK(room(0) == std::pair<std::int64_t, std::int64_t>(-100'000, 50'000));
  CHECK(room(1) == std::pair<std::int64_t, std::int64_t>(-70'000, 50'000));
  CHECK(room(2) == std::pair<std::int64_t, std::int64_t>(-50'000, 70'000));
}

TEST_CASE(
    "messages in one direction bound a clock on one side, and ranks without collectives have no bounds") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  for (int i = 0; i < 20; ++i) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      kino::CommunicationKernel& kernel = add(digests[rank], 1'000'000 * i, 1'000'000 * i + 100'000, i);
      kernel.kind = rank == 0 ? kino::CollectiveKind::send : kino::CollectiveKind::receive;
      kernel.source = 0;
      kernel.target = 1;
    }
  }
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  CHECK(job.clocks.ranks[0].least_ns == -100'000);
  CHECK_FALSE(job.clocks.ranks[0].most_ns);
  CHECK_FALSE(job.clocks.ranks[1].least_ns);
  CHECK(job.clocks.ranks[1].most_ns == 100'000);
  CHECK_FALSE(job.clocks.ranks[2].least_ns);
  CHECK_FALSE(job.clocks.ranks[2].most_ns);
}

TEST_CASE("the error of a clock is relative to the median rank, not to the first one") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t end = 1'000'000 * i + 450'000;
    add(digests[0], end - 400'000, end + (i % 2 == 0 ? -40'000 : 41'000), i);
    add(digests[1], end - 400'000, end, i);
    add(digests[2], end - 400'000, end - 5'000, i);
  }
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  CHECK(job.clocks.ranks[0].error_ns > 20'000);
  CHECK(job.clocks.ranks[1].error_ns == 1000);
  CHECK(job.clocks.ranks[2].error_ns == 1000);
}

TEST_CASE("the median of two clocks is between them, so both have equal errors") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 17; ++i) {
    const std::int64_t end = 1'000'000 * i + 450'000;
    add(digests[0], end - 400'000, end + 40'000 * (i % 3 - 1), i);
    add(digests[1], end - 400'000, end, i);
  }
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  // The error of the difference is 1.4826 * 40 us / sqrt(16).
  CHECK(job.clocks.ranks[0].error_ns == doctest::Approx(14'826));
  CHECK(job.clocks.ranks[1].error_ns == doctest::Approx(14'826));
}

TEST_CASE("the clock difference is the range of clock offsets among ranks with common collectives") {
  kino::JobClocks clocks;
  CHECK(clocks.max_deviation_ns() == 0);
  clocks.ranks.resize(4);
  clocks.ranks[0].offset_ns = 1452;
  clocks.ranks[1].offset_ns = -1452;
  clocks.ranks[2].offset_ns = 0;
  // The clock of another component is not joined.
  clocks.ranks[3].offset_ns = 50'000;
  clocks.ranks[3].component = 1;
  CHECK(clocks.max_deviation_ns() == 2904);
}
