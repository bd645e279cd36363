// Jobs as they should not be: doubled, strange, far apart. Nothing crashes, and what is not matched is
// counted.
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

/// Twenty all-reduces at an uneven beat.
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

TEST_CASE("a rank that is there twice is of a job of its own, and so is another number of ranks") {
  std::vector<MadeRank> digests = ranks_of({0, 1, 1}, 2);
  digests.push_back(rank_of(0, 8));
  for (MadeRank& digest : digests) add_collectives(digest);
  const std::vector<Job> jobs = jobs_of(std::move(digests));
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].recordings.size() == 2);
  CHECK(jobs[1].recordings.size() == 1);
  CHECK(jobs[2].recordings.size() == 1);
}

TEST_CASE("ranks that recorded at other times, as cycles of a schedule do, are jobs of their own") {
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
  // Told to be one all the same, nothing is matched over a minute.
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

TEST_CASE("of cycles that follow each other a rank that lacks one is of the cycle it was recorded in") {
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

TEST_CASE("headers that tell nothing, or nonsense, do no harm") {
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

TEST_CASE("a rank without a GPU, or without anything, is there with nothing") {
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
  CHECK_FALSE(analysis_of({}).culprit());
}

TEST_CASE("times before 1970, at zero and of no length are times") {
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

TEST_CASE("two groups of one name are two, and one of more members than are written down is one") {
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
