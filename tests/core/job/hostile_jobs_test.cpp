// Covers: job_analysis, job_grouping
// Malformed jobs: duplicate ranks, foreign recordings, distant times. Nothing crashes, and unmatched kernels
// are counted.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/job_analysis.hpp"
#include "core/job/job_grouping.hpp"
#include "core/job/step_waits.hpp"
#include "tests/fixtures/job_fixture.hpp"

using kino::Job;
using kino::JobAnalysis;
using kino::Recording;
using kino_test::add;
using kino_test::analysis_of;
using kino_test::MadeRank;
using kino_test::rank_of;
using kino_test::ranks_of;

namespace {

/// Twenty all-reduces with uneven spacing.
void add_collectives(MadeRank& digest, std::int64_t late_ns = 0, std::int64_t from_ns = 0) {
  for (int i = 0; i < 20; ++i) {
    const std::int64_t at = from_ns + 1'000'000 * i + 37'000 * (i * i % 7);
    add(digest, at + late_ns, at + 500'000, i);
  }
}

std::vector<Job> jobs_of(std::vector<MadeRank> digests) {
  return kino::jobs_of(kino_test::job_of(std::move(digests)).recordings);
}

std::size_t counted_kernels(const JobAnalysis& job) {
  std::size_t count = job.matched.alone.size();
  for (const kino::CollectiveInstance& it : job.matched.instances) count += it.kernels.size();
  return count;
}

}  // namespace

TEST_CASE("duplicate ranks and other world sizes form separate jobs") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 1}, 2);
  digests.push_back(rank_of(0, 8));
  for (MadeRank& digest : digests) add_collectives(digest);
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].recordings.size() == 2);
  CHECK(jobs[1].recordings.size() == 1);
  CHECK(jobs[2].recordings.size() == 1);
}

TEST_CASE("recordings of single processes form no job, even at the same time") {
  CHECK(jobs_of(ranks_of({-1, -1, -1}, -1)).size() == 3);
  // Recordings that communicate can be matched without ranks, too.
  std::vector<MadeRank> digests = ranks_of({-1, -1, -1}, -1);
  for (std::size_t r = 0; r < digests.size(); ++r)
    add_collectives(digests[r], 1'000 * static_cast<std::int64_t>(r));
  digests.push_back(rank_of(-1, -1));
  CHECK(jobs_of(std::move(digests)).size() == 2);
  // A rank without collectives is identified by its number.
  CHECK(jobs_of(ranks_of({0, 1}, 2)).size() == 1);
}

TEST_CASE("recordings without a rank form a job only if their collectives prove it") {
  // In the second recording each kernel begins a little later.
  const auto jobs_with = [](std::initializer_list<std::int64_t> stated, int count, std::int64_t beat_ns) {
    std::vector<MadeRank> digests = ranks_of(stated, -1);
    for (MadeRank& digest : digests) {
      for (int i = 0; i < count; ++i) add(digest, 1'000'000 * i, 1'000'000 * i + 10'000, i);
    }
    MadeRank& other = digests.emplace_back(rank_of(-1, -1));
    for (int i = 0; i < count; ++i) add(other, beat_ns * i + 1'000, beat_ns * i + 10'000, i);
    return jobs_of(std::move(digests)).size();
  };
  CHECK(jobs_with({-1}, 20, 1'000'000) == 1);
  // Two kernels that end together prove nothing.
  CHECK(jobs_with({-1}, 2, 1'000'000) == 2);
  // Two runs of one program have equal numbers, but their kernels do not overlap.
  CHECK(jobs_with({-1}, 20, 1'050'000) == 2);
  // The same applies if the other recordings state their ranks.
  CHECK(jobs_with({0, 1}, 20, 1'000'000) == 1);
  CHECK(jobs_with({0, 1}, 20, 1'050'000) == 2);
  // A copy does not count as a further rank.
  std::vector<MadeRank> copies = ranks_of({-1, -1}, -1);
  for (MadeRank& digest : copies) add_collectives(digest);
  CHECK(jobs_of(std::move(copies)).size() == 2);
}

TEST_CASE("recordings with ranks in their file names form a job, even if their collectives do not prove it") {
  std::vector<MadeRank> digests = ranks_of({-1, -1, -1}, -1);
  for (MadeRank& digest : digests) add(digest, 0, 10'000);
  const std::vector<Recording> recordings = kino_test::job_of(std::move(digests)).recordings;
  CHECK(kino::jobs_of(recordings, {}, {0, 1, 2}).size() == 1);
  CHECK(kino::jobs_of(recordings, {}, {0, 1, 1}).size() == 2);
  CHECK(kino::jobs_of(recordings).size() == 3);
}

TEST_CASE("recordings of other times, such as profiler cycles, form separate jobs") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 0, 1}, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t later = i < 2 ? 0 : 60'000'000'000;
    digests[i].first_ns += later;
    digests[i].last_ns += later;
    add_collectives(digests[i], 0, later);
  }
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 2);
  for (const Job& job : jobs) CHECK(kino::analyze_job(job).matched.instances.size() == 20);
  // Even if they are put into one job, nothing is matched over a minute.
  std::vector<MadeRank> apart = ranks_of({0, 1}, 2);
  add_collectives(apart[0]);
  add_collectives(apart[1], 0, 60'000'000'000);
  for (MadeRank& digest : apart) {
    for (kino::CommunicationKernel& kernel : digest.kernels) kernel.sequence = -1;
  }
  const JobAnalysis job = analysis_of(std::move(apart));
  CHECK(job.matched.instances.empty());
  CHECK(job.matched.alone.size() == 40);
}

TEST_CASE("a rank with a missing cycle belongs to the cycle in which it was recorded") {
  // Rank 1 has no recording of the first of two cycles, and began the second one a little earlier.
  std::vector<MadeRank> digests = ranks_of({0, 0, 1}, 2);
  constexpr std::int64_t kSecond = 1'000'000'000;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    digests[i].first_ns = kino_test::kJobOrigin + (i == 0 ? 0 : 12 * kSecond / 10) - (i == 2 ? 1000 : 0);
    digests[i].last_ns = digests[i].first_ns + kSecond;
  }
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].recordings.size() == 1);
  CHECK(jobs[1].recordings.size() == 2);
}

TEST_CASE("missing and nonsensical headers are tolerated") {
  for (const std::int64_t world :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}) {
    std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
    for (MadeRank& digest : digests) {
      digest.world_size = world;
      digest.rank = world == 0 ? -1 : digest.rank;
      add_collectives(digest);
    }
    const JobAnalysis job = analysis_of(std::move(digests));
    CHECK(job.matched.instances.size() == 20);
    CHECK(job.missing.size() <= (1U << 20));
  }
}

TEST_CASE("a rank without a GPU or without any events is an empty rank") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2, 3}, 4);
  add_collectives(digests[0]);
  add_collectives(digests[1], 100'000);
  digests[3] = MadeRank();
  digests[3].texts.intern("");
  const JobAnalysis job = analysis_of(std::move(digests));
  REQUIRE(job.matched.instances.size() == 20);
  for (const kino::CollectiveInstance& it : job.matched.instances) CHECK_FALSE(it.complete);
  CHECK(job.clocks.components == 3);
  CHECK(job.waits.ranks[2].collectives == 0);
  CHECK(kino::steps_of(job).size() == 1);
  CHECK(analysis_of({}).ranks.empty());
  CHECK_FALSE(analysis_of({}).straggler());
}

TEST_CASE("accepts times before 1970, zero times and zero lengths") {
  std::vector<MadeRank> digests = ranks_of({0, 1}, 2);
  for (MadeRank& digest : digests) {
    add_collectives(digest, digest.rank == 0 ? 0 : 200'000, -kino_test::kJobOrigin - 3'000'000);
    for (std::size_t i = 0; i < digest.kernels.size(); i += 5) digest.kernels[i].duration_ns = 0;
    digest.first_ns = -3'000'000;
    digest.last_ns = 20'000'000;
  }
  const JobAnalysis job = analysis_of(std::move(digests));
  CHECK(counted_kernels(job) == 40);
  CHECK(job.waits.waiting_ns() >= 0);
  CHECK(job.begin_ns() < 0);
}

TEST_CASE("distinguishes groups of one name by their members, also if the list of members is truncated") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 2, 3}, 4);
  for (MadeRank& digest : digests) {
    digest.groups[0].name = "split";
    digest.groups[0].members =
        digest.rank < 2 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{2, 3};
    add_collectives(digest, 10'000 * digest.rank);
  }
  JobAnalysis job = analysis_of(std::move(digests));
  CHECK(job.matched.groups.size() == 2);
  CHECK(job.matched.instances.size() == 40);

  constexpr std::int64_t kMany = 40;
  std::vector<MadeRank> many;
  for (std::int64_t r = 0; r < kMany; ++r) {
    MadeRank& digest = many.emplace_back(rank_of(r, kMany));
    digest.groups[0].members.clear();  // "[0, 1, ..., 29, ...]"
    add_collectives(digest, r == 17 ? 300'000 : 1'000 * r);
  }
  job = analysis_of(std::move(many));
  REQUIRE(job.matched.instances.size() == 20);
  CHECK(job.matched.instances[0].kernels.size() == kMany);
  for (const kino::CollectiveWait& wait : job.waits.collectives) CHECK(wait.last == 17);
}

TEST_CASE("separates two concurrent jobs in one folder by their common collectives") {
  // Both have four ranks and equal sequence numbers; job 1 runs 0.3 % slower.
  std::vector<MadeRank> digests;
  for (const std::int64_t rank : {0, 1, 2, 3}) {
    for (const std::int64_t job : {0, 1}) {
      MadeRank& digest = digests.emplace_back(rank_of(rank, 4));
      // The recordings begin in no particular order.
      digest.first_ns += 10'000 * ((3 * rank + 5 * job) % 7);
      for (int i = 0; i < 40; ++i) {
        const std::int64_t at = 20'000'000 + (2'000'000 + 6'000 * job) * i + 37'000 * (i * i % 7);
        add(digest, at, at + 50'000 + 1'000 * rank, i);
      }
      // The length identifies the job of a recording.
      digest.last_ns += job;
    }
  }
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 2);
  for (const Job& job : jobs) {
    REQUIRE(job.recordings.size() == 4);
    CHECK(job.doubled.empty());
    const std::int64_t last_ns = job.recordings[0].digest()->last_ns;
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      CHECK(job.recordings[static_cast<std::size_t>(rank)].digest()->rank == rank);
      CHECK(job.recordings[static_cast<std::size_t>(rank)].digest()->last_ns == last_ns);
    }
    CHECK_FALSE(kino::analyze_job(job).no_verdict());
  }
}

TEST_CASE("a job has no verdict if two recordings of a rank fit it equally well") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 1}, 2);
  for (MadeRank& digest : digests) add_collectives(digest);
  digests[2].last_ns += 1;  // not a copy, but equal otherwise
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].doubled == std::vector<std::int64_t>{1});
  CHECK(kino::analyze_job(jobs[0]).no_verdict() == kino::NoVerdict::doubled);
}

TEST_CASE("two jobs without comparable collectives are separated by host") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 0, 1}, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    digests[i].groups[0].name = i < 2 ? "a" : "b";
    digests[i].last_ns += static_cast<std::int64_t>(i);
    add(digests[i], 1'000'000, 1'000'000 + 1'000, static_cast<std::int64_t>(i));  // no number in common
  }
  const std::vector<kino::Recording> recordings = kino_test::job_of(std::move(digests)).recordings;
  const std::vector<Job> jobs = kino::jobs_of(recordings, {"x", "x", "y", "y"});
  REQUIRE(jobs.size() == 2);
  for (const Job& job : jobs) {
    REQUIRE(job.recordings.size() == 2);
    CHECK(job.doubled.empty());
    CHECK(job.recordings[1].digest()->last_ns - job.recordings[0].digest()->last_ns == 1);
  }
  CHECK(kino::jobs_of(recordings).at(0).doubled == std::vector<std::int64_t>{1});
}
