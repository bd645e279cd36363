// Clocks laid beside each other by hand.
#include "app/job/job_alignment.hpp"

#include <memory>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

using kino::JobPicture;

namespace {

/// Three ranks of which one's clock is 3 ms ahead, by their own clocks.
JobPicture own_clocks() {
  std::vector<kino::RankDigest> digests = kino_test::ranks_of({0, 1, 2}, 3);
  for (std::size_t r = 0; r < digests.size(); ++r) {
    const std::int64_t ahead = r == 1 ? 3'000'000 : 0;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t at = 10'000'000LL * i + ahead;
      kino_test::add(digests[r], at, at + 50'000, i);
    }
    digests[r].steps.push_back(
        {4, {kino_test::kJobOrigin + ahead, kino_test::kJobOrigin + 60'000'000 + ahead}});
  }
  const auto job = std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(digests)));
  return kino::picture_of(job, {}, kino::PageClocks::own, {});
}

JobPicture by_hand(const JobPicture& picture, kino::JobClocks clocks) {
  const auto job =
      std::make_shared<const kino::JobAnalysis>(kino::with_clocks(*picture.job, std::move(clocks)));
  return kino::picture_of(job, {}, kino::PageClocks::by_hand, {});
}

}  // namespace

TEST_CASE("at a collective all of its members end together afterwards") {
  const JobPicture own = own_clocks();
  const JobPicture picture = by_hand(own, kino::aligned_at_collective(own, 3));
  CHECK(picture.ranks[1].kernels[3].end_ns == picture.ranks[0].kernels[3].end_ns);
  CHECK(picture.ranks[2].kernels[3].end_ns == picture.ranks[0].kernels[3].end_ns);
  CHECK(picture.ranks[1].own_ns(0, kino_test::kJobOrigin) == doctest::Approx(3'000'000));
}

TEST_CASE("at a step all ranks that have it begin it together") {
  const JobPicture own = own_clocks();
  CHECK(kino::step_beginning_near(own, 1, 2'900'000) == 4);
  const auto clocks = kino::aligned_at_step(own, 4);
  REQUIRE(clocks);
  const JobPicture picture = by_hand(own, *clocks);
  CHECK(picture.ranks[1].steps[0].range.begin_ns == picture.ranks[0].steps[0].range.begin_ns);
  CHECK_FALSE(kino::aligned_at_step(own, 5));
}
