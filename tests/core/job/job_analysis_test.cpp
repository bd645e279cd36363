// Jobs of a few ranks by hand, from their digests to who made whom wait.
#include "core/job/job_analysis.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/job_grouping.hpp"
#include "tests/fixtures/job_fixture.hpp"

using kino::CollectiveKind;
using kino::CommunicationKernel;
using kino::GroupEvidence;
using kino::Job;
using kino::JobAnalysis;
using kino::MatchLevel;

using kino_test::add;
using kino_test::analysis_of;
using kino_test::MadeRank;
using kino_test::rank_of;
using kino_test::ranks_of;

TEST_CASE("numbers match exactly, neighbours of those by order, and who has no partner is alone") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 5; ++i) {
    add(digests[0], 100'000 * i, 100'000 * i + 50'000, i == 4 ? -1 : 10 + i);
    if (i > 0) add(digests[1], 100'000 * i + 20'000, 100'000 * i + 50'000, i == 4 ? -1 : 10 + i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  REQUIRE(job.matched.instances.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const kino::CollectiveInstance& instance = job.matched.instances[i];
    CHECK(instance.complete);
    CHECK(instance.level == (i == 3 ? MatchLevel::proved : MatchLevel::exact));
    const std::vector<kino::RankKernel> expected{{0, static_cast<std::uint32_t>(i + 1)},
                                                 {1, static_cast<std::uint32_t>(i)}};
    CHECK(std::ranges::equal(instance.kernels, expected));
  }
  CHECK(job.matched.alone == std::vector<kino::RankKernel>{{0, 0}});
  CHECK(job.missing.empty());
}

TEST_CASE("the last one to arrive caused what the others waited, by clocks that were laid over each other") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  // Rank 1's clock is 3 ms ahead; rank 2 is late by 400 us each time.
  constexpr std::int64_t kAhead = 3'000'000;
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i) {
    at += 600'000 + 70'000 * (i * i % 11);  // a beat would fit at other places, too
    add(digests[0], at, at + 450'000);
    add(digests[1], at + kAhead + 10'000, at + kAhead + 450'000);
    add(digests[2], at + 400'000, at + 450'000);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  REQUIRE(job.matched.instances.size() == 20);
  CHECK(job.clocks.ranks[1].offset_ns - job.clocks.ranks[0].offset_ns == doctest::Approx(kAhead));
  CHECK(job.clocks.raw.violated == 40);
  CHECK(job.clocks.raw.worst_ns == 2'560'000);
  CHECK(job.clocks.fitted.violated == 0);
  REQUIRE(job.culprit());
  CHECK(*job.culprit() == 2);
  const kino::RankWaits& late = job.waits.ranks[2];
  CHECK(late.times_last == 20);
  CHECK(late.waiting_ns == 0);
  CHECK(late.moving_ns == 20 * 50'000);
  CHECK(late.caused_ns == 20 * (400'000 + 390'000));
  CHECK(late.saved_ns == 20 * 2 * 390'000);
  CHECK(job.waits.ranks[0].waiting_ns == 20 * 400'000);
  CHECK(job.waits.waiting_ns() == late.caused_ns);
  const kino::CollectiveWait& first = job.waits.collectives.front();
  CHECK(first.transfer_ns == 50'000);
  CHECK(first.lead_ns == 390'000);
  CHECK(first.end_spread_ns == 0);
}

TEST_CASE("within the tolerance nobody is named, and waiting is still summed") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 10; ++i) {
    const std::int64_t at = 1'000'000 * i + 11'000 * (i % 3);
    add(digests[0], at, at + 100'000);
    add(digests[1], at + 2'000, at + 100'000);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK_FALSE(job.culprit());
  CHECK(job.waits.ranks[1].times_last == 0);
  CHECK(job.waits.waiting_ns() == 10 * 2'000);
  CHECK(job.waits.collectives.front().last == kino::CollectiveWait::kNobody);
}

TEST_CASE("clocks that drift apart are fitted where the ends cannot be noise") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t at = 5'000'000LL * i + 13'000 * (i % 11);
    add(digests[0], at, at + 60'000 + i % 5 * 100, i);
    const auto drifted = [](std::int64_t time) { return time + 40'000 + time / 25'000; };  // 40 ppm
    add(digests[1], drifted(at), drifted(at + 60'000), i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.clocks.ranks[1].drift_ppb - job.clocks.ranks[0].drift_ppb ==
        doctest::Approx(40'000).epsilon(0.01));
  CHECK(job.clocks.fitted.violated == 0);
}

TEST_CASE("a kernel without a group is never guessed to be of one beside known groups") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (MadeRank& digest : digests) {
    for (int i = 0; i < 6; ++i) add(digest, 100'000 * i, 100'000 * i + 50'000);
    digest.kernels[3].group = CommunicationKernel::kNoGroup;
    digest.kernels[3].evidence = GroupEvidence::none;
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.matched.instances.size() == 5);
  CHECK(job.matched.alone == std::vector<kino::RankKernel>{{0, 3}, {1, 3}});
}

TEST_CASE("ranks without communication, or one rank alone, are a job in which nothing is known") {
  const JobAnalysis empty = analysis_of(ranks_of({0, 2}, 4));
  CHECK(empty.missing == std::vector<std::int64_t>{1, 3});
  CHECK(empty.matched.instances.empty());
  CHECK(empty.clocks.components == 2);
  CHECK_FALSE(empty.culprit());
  CHECK(analysis_of({}).ranks.empty());
  std::vector<MadeRank> one = ranks_of({0}, 2);
  add(one[0], 0, 10);
  CHECK(analysis_of(std::move(one)).matched.alone.size() == 1);
}

TEST_CASE("recordings of other times, other sizes, or of a rank once more are other jobs") {
  const auto recorded = [](std::int64_t rank, std::int64_t world, std::int64_t first_s) {
    MadeRank digest = rank_of(rank, world);
    digest.first_ns += first_s * 1'000'000'000;
    digest.last_ns = digest.first_ns + 1'000'000'000;
    return kino::new_recording(std::make_shared<const kino::RankDigest>(std::move(digest).packed()));
  };
  const std::vector<Job> jobs =
      kino::jobs_of({recorded(1, 2, 0), recorded(0, 2, 1), recorded(0, 2, 2), recorded(1, 2, 3),
                     recorded(0, 4, 1), recorded(0, 2, 100), recorded(1, 2, 101)});
  REQUIRE(jobs.size() == 4);
  const auto ranks = [&](std::size_t job) {
    std::vector<std::int64_t> all;
    for (const kino::Recording& it : jobs[job].recordings) all.push_back(it.digest()->rank);
    return all;
  };
  CHECK(ranks(0) == std::vector<std::int64_t>{0, 1});
  CHECK(ranks(1) == std::vector<std::int64_t>{0});
  CHECK(ranks(2) == std::vector<std::int64_t>{0, 1});
  CHECK(ranks(3) == std::vector<std::int64_t>{0, 1});
  CHECK(kino::jobs_of({}).empty());
}
