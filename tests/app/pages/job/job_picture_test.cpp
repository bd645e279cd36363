// Covers: job_picture, job_state
// Data of a job that is prepared for drawing.
#include "app/pages/job/job_picture.hpp"

#include <cmath>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/job/job_state.hpp"
#include "tests/fixtures/job_fixture.hpp"

using kino::JobPicture;
using kino::TimeRange;

TEST_CASE("returns the covered share of an interval") {
  const kino::BusyLine line(std::vector<TimeRange>{{10, 20}, {30, 60}});
  CHECK(line.covered(0, 100) == 40);
  CHECK(line.covered(15, 35) == 10);
  CHECK(line.covered(20, 30) == 0);
  CHECK(line.covered(40, 41) == 1);
  CHECK(kino::BusyLine().covered(0, 100) == 0);
}

TEST_CASE("draws waiting until the last arrival and transfer from then on") {
  const auto job = std::make_shared<const kino::JobAnalysis>(kino_test::late_job());
  const JobPicture picture = kino::picture_of(job, {}, kino::PageClocks::fitted, {});
  REQUIRE(picture.ranks.size() == 3);
  CHECK(picture.begin_ns == kino_test::kJobOrigin);
  CHECK(picture.most_caused_ns == job->waits.ranks[2].caused_ns);
  CHECK(picture.ranks[0].waiting.covered(0, 1'000'000) == 400'000);
  CHECK(picture.ranks[0].moving.covered(0, 1'000'000) == 50'000);
  CHECK(picture.ranks[2].waiting.covered(0, 1'000'000) == 0);
  CHECK(picture.ranks[2].moving.covered(0, 1'000'000) == 50'000);
  CHECK(picture.ranks[0].compute.covered(-100'000, 0) == 100'000);
  CHECK(picture.ranks[0].longest_waits_ns == std::vector<std::int64_t>{400'000});
  for (const kino::LateCause& cause : job->causes) CHECK(job->cause_of(cause.collective) == &cause);
  CHECK(job->cause_of(kino::KernelWait::kUnmatched) == nullptr);
  CHECK_FALSE(kino::clocks_differ(*job));
}

TEST_CASE("places a rank with a clock ahead beside the others by the common clock") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
  for (std::size_t r = 0; r < digests.size(); ++r) {
    const std::int64_t ahead = r == 1 ? 3'000'000 : 0;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t at = 10'000'000LL * i;
      kino_test::add(digests[r], at + ahead, at + ahead + 50'000, i);
    }
  }
  const auto job = std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(digests)));
  CHECK(kino::clocks_differ(*job));
  const JobPicture own = kino::picture_of(job, {}, kino::PageClocks::own, {});
  const JobPicture common = kino::picture_of(job, {}, kino::PageClocks::fitted, {});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    REQUIRE(common.kernel_count(rank) == 12);
    for (std::size_t k = 0; k < 12; ++k) {
      const TimeRange kernel = common.kernel(rank, k);
      CHECK(kernel.length_ns() == 50'000);
      CHECK(common.first_kernel_from(rank, kernel.begin_ns) == k);
      CHECK(common.first_kernel_from(rank, kernel.begin_ns + 1) == k + 1);
    }
  }
  CHECK(own.kernel(1, 0).begin_ns - own.kernel(0, 0).begin_ns == 3'000'000);
  CHECK(std::abs(common.kernel(1, 0).begin_ns - common.kernel(0, 0).begin_ns) <= 1);
}

TEST_CASE("aligns clocks if any differ, even if those of the first ranks agree") {
  const auto picture_with = [](std::size_t ranks, std::int64_t ahead_of_last_ns) {
    std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
    digests.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      for (int i = 0; i < 12; ++i) {
        const std::int64_t at = 10'000'000LL * i + (r == 2 ? ahead_of_last_ns : 0);
        kino_test::add(digests[r], at, at + 50'000, i);
      }
    }
    return std::make_shared<const JobPicture>(kino::picture_of(
        std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(digests))), {},
        kino::PageClocks::fitted, {}));
  };
  kino::JobState state;
  state.place(0, 0, 1200, 800);
  state.take(picture_with(2, 0));
  CHECK_FALSE(state.fitted);
  state.take(picture_with(3, 3'000'000), true);
  CHECK(state.fitted);
  state.take(picture_with(3, 0), true);
  CHECK_FALSE(state.fitted);
  state.toggle_clocks();
  state.take(picture_with(2, 0), true);
  CHECK(state.fitted);  // as the user chose before
}

TEST_CASE("draws nothing for an analysis that was stopped") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (kino_test::MadeRank& digest : digests) kino_test::add(digest, 0, 50'000, 0);
  std::stop_source stop;
  stop.request_stop();
  const auto job = std::make_shared<const kino::JobAnalysis>(
      kino::analyze_job(kino_test::job_of(std::move(digests)), stop.get_token()));
  const JobPicture picture = kino::picture_of(job, {}, kino::PageClocks::fitted, stop.get_token());
  CHECK(picture.ranks.empty());
  CHECK(picture.steps.empty());
}

TEST_CASE("steps through late collectives by cost, cyclically") {
  kino::JobState state;
  state.place(0, 0, 1200, 800);
  state.take(std::make_shared<const JobPicture>(kino::picture_of(
      std::make_shared<const kino::JobAnalysis>(kino_test::late_job()), {}, kino::PageClocks::fitted, {})));
  REQUIRE(state.picture->late.size() == 10);
  state.step_late(1);
  CHECK(state.collective == state.picture->late.front());
  CHECK(state.rank == 2);
  state.step_late(-1);
  CHECK(state.collective == state.picture->late.back());
  state.step_late(1);
  CHECK(state.collective == state.picture->late.front());
  const TimeRange range = state.range_of(state.collective);
  CHECK(range.length_ns() == 450'000);
  state.clear();
  CHECK_FALSE(state.rank);
}

namespace {

/// A page of a job of 2 x 2 ranks: pairs (0, 1) and (2, 3) of one stage each.
void take_stages(kino::JobState& state, const char* across) {
  std::vector<kino_test::MadeRank> ranks = kino_test::ranks_of({0, 1, 2, 3}, 4);
  for (std::int64_t r = 0; r < 4; ++r) {
    kino_test::MadeRank& rank = ranks[static_cast<std::size_t>(r)];
    rank.groups.push_back({"1", "TENSOR_MODEL_PARALLEL_GROUP", {r / 2 * 2, r / 2 * 2 + 1}});
    rank.groups.push_back({"2", across, {r % 2, r % 2 + 2}});
    for (int i = 0; i < 8; ++i) {
      kino_test::add(rank, 1'000'000 * i, 1'000'000 * i + 50'000, i).step = i / 4;
      if (i % 4 == 0) {
        const std::int64_t begin = kino_test::kJobOrigin + 1'000'000 * i + 1'000 * r;
        rank.steps.push_back({i / 4, {begin, begin + 3'000'000}});
      }
    }
  }
  state.take(std::make_shared<const JobPicture>(
      kino::picture_of(std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(ranks))),
                       {}, kino::PageClocks::fitted, {})));
}

}  // namespace

TEST_CASE("groups the ranks of a pipeline by stage until the user groups them otherwise") {
  constexpr const char* kPipeline = "PIPELINE_MODEL_PARALLEL_GROUP";
  kino::JobState state;
  state.place(0, 0, 1200, 800);
  take_stages(state, kPipeline);
  REQUIRE(state.grouping_count() == 4);
  CHECK(state.group_of(state.grouping, 0) == "pp 0");
  REQUIRE(state.groups.size() == 2);
  CHECK(state.groups[1].title == "pp 1");
  state.group_by(0);
  CHECK(state.groups.empty());
  take_stages(state, kPipeline);
  CHECK(state.groups.empty());
  kino::JobState other;
  other.place(0, 0, 1200, 800);
  take_stages(other, "DATA_PARALLEL_GROUP");
  CHECK(other.grouping == 0);
}

TEST_CASE("a step lasts from its first begin on any rank to its last end, and jumping to it selects it") {
  kino::JobState state;
  state.place(0, 0, 1200, 800);
  take_stages(state, "DATA_PARALLEL_GROUP");
  REQUIRE(state.step_ranges.size() == 2);
  REQUIRE(state.range_of_step(1));
  CHECK(state.range_of_step(1)->length_ns() == 3'003'000);
  CHECK_FALSE(state.range_of_step(2));
  CHECK(state.boxes.steps.height() == 0);  // until the next layout
  state.place(0, 0, 1200, 800);
  CHECK(state.boxes.steps.height() > 0);
  CHECK(state.boxes.titles.bottom == state.boxes.lanes.top);
  state.navigation.fit({0, 3'000'000}, 0);
  state.go_to_step(1);
  CHECK(state.step == 1);
  state.clear();
  CHECK_FALSE(state.step);
}
