// Covers: job_inspector, rank_menu
// Sums of the visible time of a job, and the actions of its ranks, by hand.
#include "app/pages/job/job_inspector.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/job/rank_menu.hpp"
#include "tests/fixtures/job_fixture.hpp"

namespace inspected_jobs {
namespace {

using kino::JobPicture;
using kino_test::MadeRank;

/// Three ranks with ten all-reduces 1.0 to 1.7 ms apart. Rank 2 is late by 400 us each time.
std::shared_ptr<const JobPicture> picture() {
  std::vector<MadeRank> ranks = kino_test::ranks_of({0, 1, 2}, 3);
  std::int64_t at = 0;
  for (int i = 0; i < 10; ++i) {
    at += 1'000'000 + 70'000 * (i * i % 11);
    kino_test::add(ranks[0], at, at + 450'000);
    kino_test::add(ranks[1], at + 10'000, at + 450'000);
    kino_test::add(ranks[2], at + 400'000, at + 450'000);
  }
  auto job = std::make_shared<const kino::JobAnalysis>(kino_test::analysis_of(std::move(ranks)));
  return std::make_shared<const JobPicture>(
      kino::picture_of(std::move(job), {"r0.json", "r1.json", "r2.json"}, kino::PageClocks::fitted, {}));
}

}  // namespace

TEST_CASE("sums of the whole job are those of all collectives") {
  const auto shown = picture();
  const kino::JobWaits& waits = shown->job->waits;
  REQUIRE(waits.collectives.size() == 10);
  const kino::JobViewSums sums = kino::job_view_sums(*shown, shown->content);
  CHECK(sums.collectives == 10);
  CHECK(sums.waiting_ns == waits.waiting_ns());
  CHECK(sums.transfer_sum_ns == waits.transfer_sum_ns());
  REQUIRE(sums.last.size() == 1);
  CHECK(sums.last[0].first == 2);
  CHECK(sums.last[0].second == 10 * (400'000 + 390'000));
  CHECK(sums.worst.size() == 5);
  CHECK(sums.excluded_ns == 0);
}

TEST_CASE("sums contain the waiting that the verdict excludes") {
  const auto shown = picture();
  kino::JobAnalysis job = *shown->job;
  job.waits.collectives[1].outside = true;
  kino::JobPicture changed = *shown;
  changed.job = std::make_shared<const kino::JobAnalysis>(std::move(job));
  const kino::JobViewSums sums = kino::job_view_sums(changed, changed.content);
  CHECK(sums.excluded_ns == changed.job->waits.collectives[1].waiting_ns);
  CHECK(sums.waiting_ns == shown->job->waits.waiting_ns());
}

TEST_CASE("a part of the job has the collectives whose last kernel overlaps it") {
  const auto shown = picture();
  const kino::TimeRange third = shown->kernel(2, 2);
  const kino::JobViewSums sums = kino::job_view_sums(*shown, third);
  CHECK(sums.collectives == 1);
  CHECK(sums.waiting_ns == 790'000);
  CHECK(sums.worst.size() == 1);
  CHECK(kino::job_view_sums(*shown, {third.end_ns, third.end_ns}).collectives == 0);
}

TEST_CASE("sentences on a collective name who arrived last") {
  const auto shown = picture();
  const std::string text = kino::collective_sentences(*shown->job, 0);
  CHECK(text.find("Rank 2 arrived last, 390 µs after the previous rank.") != std::string::npos);
  CHECK(text.find("The others waited 790 µs in total.") != std::string::npos);
}

TEST_CASE("the sentences on a rank name its lateness once") {
  kino::JobAnalysis job = *picture()->job;
  REQUIRE(job.blame.size() == 3);
  job.blame[2].steps = 1;
  job.blame[2].worst_step = 6;
  job.blame[2].most_late_ns = 41'390'000;
  CHECK(kino::rank_sentences(job, 2).starts_with("Rank 2 is 41.39 ms late in step 6."));
}

TEST_CASE("a rank is compared with the rank of the median waiting, which is not compared with itself") {
  kino::JobState state;
  state.take(picture());
  const std::optional<std::uint32_t> median = state.median_rank();
  REQUIRE(median);
  CHECK(*median == 1);
  std::vector<kino::RankAction> actions = kino::rank_actions(state, 2);
  REQUIRE(actions.size() > 2);
  actions[0].run(state);
  actions[1].run(state);
  REQUIRE(state.requests.size() == 2);
  CHECK(std::get<kino::OpenRecording>(state.requests[0]).file == "r2.json");
  const auto& compared = std::get<kino::CompareTraces>(state.requests[1]);
  CHECK(compared.a == "r1.json");
  CHECK(compared.b == "r2.json");
  CHECK(kino::rank_actions(state, 1).size() + 1 == kino::rank_actions(state, 2).size());
}

TEST_CASE("a group can be shown alone") {
  kino::JobState state;
  state.take(picture());
  state.groups = {{"tp 0", 0, 2}};
  CHECK(kino::group_sentences(state, 0).starts_with("tp 0: 7.9 ms of waiting in total (ranks: 2)."));
  std::vector<kino::RankAction> actions = kino::group_actions(state, 0);
  REQUIRE_FALSE(actions.empty());
  actions.back().run(state);
  CHECK(state.only == std::vector<std::uint32_t>{0, 1});
}

}  // namespace inspected_jobs
