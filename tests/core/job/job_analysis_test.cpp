// Covers: job_analysis, job_grouping, collective_matching, stream_joining, rank_waits
// Small jobs, from digests to waiting and its causes, computed by hand.
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

TEST_CASE("matches equal numbers exactly, their neighbors by order, and leaves others unmatched") {
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

TEST_CASE("with fitted clocks, the last rank to arrive caused the others' waiting") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  // Rank 1's clock is 3 ms ahead; rank 2 is late by 400 us each time.
  constexpr std::int64_t kAhead = 3'000'000;
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i) {
    at += 600'000 + 70'000 * (i * i % 11);  // equal spacing would fit other shifts, too
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
  REQUIRE(job.straggler());
  CHECK(*job.straggler() == 2);
  const kino::RankWaits& late = job.waits.ranks[2];
  CHECK(late.times_last == 20);
  CHECK(late.waiting_ns == 0);
  CHECK(late.transfer_sum_ns == 20 * 50'000);
  CHECK(late.caused_ns == 20 * (400'000 + 390'000));
  CHECK(late.saved_ns == 20 * 2 * 390'000);
  CHECK(job.waits.ranks[0].waiting_ns == 20 * 400'000);
  CHECK(job.waits.waiting_ns() == late.caused_ns);
  const kino::CollectiveWait& first = job.waits.collectives.front();
  CHECK(first.transfer_ns == 50'000);
  CHECK(first.arrival_gap_ns == 390'000);
  CHECK(first.end_spread_ns == 0);
}

TEST_CASE("the devices of a job with HCCL are NPUs, all others GPUs") {
  CHECK(JobAnalysis().device_word() == "GPU");
  CHECK(analysis_of(ranks_of({0, 1}, 2)).device_word() == "GPU");
  for (const char* const name : {"hcom_allReduce__538_0_1", "hcclAllReduce", "ncclDevKernel_AllReduce"}) {
    std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
    kino::CommunicationKernel& kernel = add(digests[1], 0, 50'000);
    kernel.algorithm = digests[1].texts.intern(name);
    CHECK(analysis_of(std::move(digests)).device_word() == (name[0] == 'h' ? "NPU" : "GPU"));
  }
}

TEST_CASE("names no rank within the tolerance, but sums the waiting") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 10; ++i) {
    const std::int64_t at = 1'000'000 * i + 11'000 * (i % 3);
    add(digests[0], at, at + 100'000);
    add(digests[1], at + 2'000, at + 100'000);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK_FALSE(job.straggler());
  CHECK(job.waits.ranks[1].times_last == 0);
  CHECK(job.waits.waiting_ns() == 10 * 2'000);
  CHECK(job.waits.collectives.front().last == kino::CollectiveWait::kNoRank);
}

TEST_CASE("fits clock drift if the ends cannot be noise") {
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

TEST_CASE("a kernel without a group is never assigned to a known group") {
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

TEST_CASE("ranks without communication, or a single rank, form a job without findings") {
  const JobAnalysis empty = analysis_of(ranks_of({0, 2}, 4));
  CHECK(empty.missing == std::vector<std::int64_t>{1, 3});
  CHECK(empty.matched.instances.empty());
  CHECK(empty.clocks.components == 2);
  CHECK_FALSE(empty.straggler());
  CHECK(analysis_of({}).ranks.empty());
  std::vector<MadeRank> one = ranks_of({0}, 2);
  add(one[0], 0, 10);
  CHECK(analysis_of(std::move(one)).matched.alone.size() == 1);
}

TEST_CASE("recordings of other times, other sizes or duplicate ranks form other jobs") {
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

TEST_CASE("does not blame a rank whose recording starts late for earlier waiting") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  constexpr std::int64_t kLate = 200'000'000;
  digests[1].first_ns = kino_test::kJobOrigin + kLate;
  // The first collective waits for the late profiler; the others do not wait.
  add(digests[0], 2'000'000, kLate + 3'010'000, 0);
  add(digests[1], kLate + 3'000'000, kLate + 3'010'000, 0);
  for (int i = 1; i < 9; ++i) {
    for (MadeRank& digest : digests) add(digest, kLate + 5'000'000 * i, kLate + 5'000'000 * i + 10'000, i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.waits.collectives.size() == 9);
  CHECK(job.waits.outside_collectives == 1);
  CHECK(job.waits.waiting_ns() == kLate + 1'000'000);
  CHECK(job.waits.recorded_waiting_ns() == 0);
  CHECK(job.waits.recorded.begin_ns == kino_test::kJobOrigin + kLate);
  CHECK(job.waits.ranks[1].caused_ns == 0);
  CHECK_FALSE(job.straggler());
  CHECK_FALSE(job.no_verdict());
}

TEST_CASE("judges only the time before the first recording ended") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2}, 3);
  digests[0].last_ns = kino_test::kJobOrigin + 50'000'000;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = 5'000'000 * i;
    // Rank 0's recording has ended when rank 2 becomes late.
    if (at <= 50'000'000) add(digests[0], at, at + 10'000, i);
    add(digests[1], at, at + (i > 12 ? 3'010'000 : 10'000), i);
    add(digests[2], at + (i > 12 ? 3'000'000 : 0), at + (i > 12 ? 3'010'000 : 10'000), i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.waits.outside_collectives == 9);
  CHECK(job.waits.waiting_ns() == 7 * 3'000'000);
  CHECK(job.waits.recorded_waiting_ns() == 0);
  CHECK(job.stragglers().empty());
}

TEST_CASE("recordings without common time have no verdict") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  digests[0].last_ns = kino_test::kJobOrigin + 1'000'000;
  digests[1].first_ns = kino_test::kJobOrigin + 2'000'000;
  for (int i = 0; i < 4; ++i) {
    add(digests[0], 200'000 * i, 200'000 * i + 10'000, i);
    add(digests[1], 2'000'000 + 200'000 * i, 2'000'000 + 200'000 * i + 10'000, i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  REQUIRE(job.waits.collectives.size() == 4);
  // The fit aligns the clocks, since nothing contradicts it: by their own clocks the ranks never overlap.
  const kino::JobAnalysis own = kino::with_clocks(job, [&] {
    kino::JobClocks clocks = job.clocks;
    for (kino::RankClock& it : clocks.ranks) it.offset_ns = 0;
    return clocks;
  }());
  CHECK(own.no_verdict() == kino::NoVerdict::not_together);
  CHECK_FALSE(own.straggler());
}

TEST_CASE("kernels whose members end before others begin have no verdict, with a reason") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (int i = 0; i < 40; ++i) {
    const std::int64_t at = 1'000'000 * i + 37'000 * (i * i % 7);
    // In turn, one kernel ends long before the other begins.
    add(digests[0], at, at + 10'000, i);
    add(digests[1], at + (i % 2 == 0 ? 300'000 : -300'000), at + (i % 2 == 0 ? 310'000 : -290'000), i);
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.matched.instances.size() == 40);
  CHECK(job.waits.collectives.empty());
  CHECK(job.waits.not_waiting == 40);
  CHECK(job.no_verdict() == kino::NoVerdict::not_waiting);
  CHECK(analysis_of(ranks_of({0, 1}, 2)).no_verdict() == kino::NoVerdict::unmatched);
}

TEST_CASE("kernels with equal numbers match one by one, and ranks without numbers by order") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (MadeRank& digest : digests) {
    for (int i = 0; i < 6; ++i)
      add(digest, 100'000 * i + 7'000 * (i * i % 5), 100'000 * i + 50'000, 10 + i / 2);
  }
  digests[1].kernels.erase(digests[1].kernels.begin(), digests[1].kernels.begin() + 2);
  const JobAnalysis job = analysis_of(std::move(digests));
  REQUIRE(job.matched.instances.size() == 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    CHECK(job.matched.instances[i].level == MatchLevel::exact);
    const std::vector<kino::RankKernel> expected{{0, i + 2}, {1, i}};
    CHECK(std::ranges::equal(job.matched.instances[i].kernels, expected));
  }
  std::vector<MadeRank> mixed = ranks_of({0, 1}, 2);
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = 1'000'000 * i + 37'000 * (i * i % 7);
    add(mixed[0], at, at + 50'000, i);
    add(mixed[1], at + 5'000, at + 50'000, -1);
  }
  const JobAnalysis by_order = analysis_of(std::move(mixed));
  REQUIRE(by_order.matched.instances.size() == 20);
  CHECK(by_order.matched.instances[0].level == MatchLevel::proved);
}

TEST_CASE("with two whole steps a rank recurs only if many peers are not late") {
  JobAnalysis job;
  job.whole_steps = 2;
  job.blame.assign(16, {});
  job.blame[3] = {.steps = 2, .step_late_ns = 3'000'000, .most_late_ns = 3'000'000};
  CHECK(job.recurs(3));
  job.blame[5].most_late_ns = 2'000'000;
  CHECK_FALSE(job.recurs(3));
  job.blame[5].most_late_ns = 0;
  job.blame.pop_back();
  CHECK_FALSE(job.recurs(3));
}
