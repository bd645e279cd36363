// Covers: job_texts
// Texts of the page of a job.
#include "app/pages/job/job_texts.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/job_fixture.hpp"

namespace {

/// Returns an analysis of three ranks in ten steps, with their waits and blame.
kino::JobAnalysis blamed_job() {
  kino::JobAnalysis job = kino_test::late_job();
  job.whole_steps = 10;
  job.blame.assign(3, {});
  job.blame[1] = {.collectives = 10,
                  .caused_ns = 1'000'000,
                  .steps = 10,
                  .step_late_ns = 1'600'000,
                  .most_late_ns = 1'700'000,
                  .worst_step = 2};
  job.blame[1].own_ns[static_cast<std::size_t>(kino::IntervalPart::compute)] = 16'000'000;
  job.blame[2] = {.collectives = 1,
                  .caused_ns = 7'000'000,
                  .steps = 1,
                  .step_late_ns = 27'500'000,
                  .most_late_ns = 27'500'000,
                  .worst_step = 19};
  job.blame[2].own_ns[static_cast<std::size_t>(kino::IntervalPart::garbage_collection)] = 27'500'000;
  return job;
}

kino::GpuComparison slower_gpu() {
  return {.ratio = 1.099, .low = 1.098, .high = 1.101, .calls = 640, .only_other = std::nullopt};
}

}  // namespace

TEST_CASE("the verdict calls a GPU slower only if the whole interval exceeds 2 %") {
  kino::JobAnalysis job = blamed_job();
  std::swap(job.blame[1].caused_ns, job.blame[2].caused_ns);
  job.gpu[1] = slower_gpu();
  CHECK(
      kino::verdict_reason(job).find(
          "The rank's GPU takes 9.9 % longer than the other ranks' median for the same kernels (95 %: 9.8 % to "
          "10.1 %, n = 640).") != std::string::npos);
  job.gpu[1].only_other = 2;
  CHECK(kino::verdict_reason(job).find(
            "The rank's GPU takes 9.9 % longer than that of Rank 2 for the same kernels") !=
        std::string::npos);
  job.gpu[1].low = 1.015;
  CHECK(kino::verdict_reason(job).find("GPU") == std::string::npos);
}

TEST_CASE("the verdict reports recurring causes, their reason and steps, then larger single delays") {
  kino::JobAnalysis job = blamed_job();
  CHECK(kino::verdict_title(job) == "Rank 1 is 1.6 ms late in every step: compute");
  job.blame[1].steps = 9;
  job.gpu[1] = slower_gpu();
  CHECK(kino::verdict_title(job) ==
        "Rank 1 is 1.6 ms late in 9 of 10 steps: its GPU is 9.9 % slower (95 %: 9.8 % to 10.1 %, n = 640)");
  CHECK(kino::verdict_reason(job).find("Rank 2 27.5 ms late in step 19 (garbage collection)") !=
        std::string::npos);
  CHECK(kino::verdict_reason(job).find("This rank causes 1 ms of ") == 0);
  CHECK(kino::lateness_text(job, 1) == "1.6 ms late in 9 of 10 steps");
  CHECK(kino::lateness_text(job, 0).empty());
  job.missing = {3};
  CHECK(kino::verdict_reason(job).find("This rank causes at least 1 ms of ") == 0);
}

TEST_CASE("a slow link is part of the verdict, and is its title if there is no straggler") {
  kino::JobAnalysis job = blamed_job();
  job.matched.groups[0].description = "DATA_PARALLEL_GROUP";
  job.links = {{.group = 0,
                .ranks = {1, 3},
                .operation = "reduce-scatter",
                .bytes = 8 << 20,
                .transfers = 16,
                .own = {15, 14.6, 15.3},
                .others = 3,
                .of_others = {96, 93, 98},
                .lost_ns = 4'000'000}};
  const std::string link =
      "The data-parallel group of ranks 1, 3 transfers data at 15.0 GB/s, other groups of this kind at "
      "96.0 GB/s (95 %: 14.6 GB/s to 15.3 GB/s, n = 16)";
  CHECK(kino::verdict_title(job).starts_with("Rank 1 "));
  CHECK(kino::verdict_reason(job).find(link + ".") != std::string::npos);
  for (kino::StragglerStats& blame : job.blame) blame = {};
  CHECK(kino::verdict_title(job) == link);
  CHECK(kino::verdict_reason(job).find("transfers data") == std::string::npos);
}

TEST_CASE("a rank that causes most waiting and recurs is reported with that waiting") {
  kino::JobAnalysis job = blamed_job();
  std::swap(job.blame[1].caused_ns, job.blame[2].caused_ns);
  CHECK(kino::verdict_title(job).starts_with("Rank 1 makes the others wait: 7 ms of "));
  CHECK(kino::verdict_reason(job).find("In 10 of 10 steps, the delay originates on this rank itself.") !=
        std::string::npos);
}

TEST_CASE("reports why there is no verdict, and how to get one") {
  kino::JobAnalysis job = blamed_job();
  job.doubled = {0, 2};
  CHECK(kino::verdict_title(job) == "No verdict: recorded twice at the same time: rank 0, 2");
  CHECK(kino::verdict_reason(job).find("in a separate folder") != std::string::npos);
  CHECK_FALSE(job.straggler());
  job.doubled.clear();
  job.waits.outside_collectives = job.waits.collectives.size();
  CHECK(kino::verdict_title(job) == "No verdict: there is no time in which all ranks were recorded");
  job.waits.collectives.clear();
  job.waits.not_waiting = 463;
  CHECK(kino::verdict_title(job) ==
        "No verdict: the ranks of the matched collectives (463) do not wait for each other");
  CHECK(kino::verdict_reason(job).find("DeepEP") != std::string::npos);
  job.waits.not_waiting = 0;
  job.waits.rejected = 5;
  CHECK(kino::verdict_title(job) ==
        "No verdict: none of the matched groups of kernels (5) can be one collective");
  job.waits.rejected = 0;
  CHECK(kino::verdict_title(job) == "No verdict: no collectives of several ranks could be matched");
}

TEST_CASE("shares of causes add up to the waiting, with an unexplained rest") {
  kino::JobAnalysis job = blamed_job();
  kino::StragglerStats& blame = job.blame[1];
  blame.caused_ns = 32'000'000;
  blame.waited_unknown_ns[static_cast<std::size_t>(kino::LateStopReason::no_late_rank)] = 6'400'000;
  blame.waited_ns[static_cast<std::size_t>(kino::IntervalPart::compute)] = 16'000'000;
  blame.waited_ns[static_cast<std::size_t>(kino::IntervalPart::copy)] = 320'000;
  CHECK(kino::cause_shares_text(job, 1) ==
        "compute 50.0 %, no earlier delay 20.0 %, other causes 1.0 %, not explained 29.0 %");
  blame.caused_ns = 16'000'000;
  blame.waited_unknown_ns = {};
  blame.waited_ns[static_cast<std::size_t>(kino::IntervalPart::copy)] = 0;
  CHECK(kino::cause_shares_text(job, 1) == "compute 100 %");
}

TEST_CASE("the verdict reports the share of the waiting without a root cause on a rank") {
  kino::JobAnalysis job = blamed_job();
  CHECK(kino::verdict_reason(job).find("cannot be attributed to a rank") == std::string::npos);
  job.waits.ranks[2].caused_ns = job.waits.recorded_waiting_ns() / 4 * 3;
  CHECK(kino::verdict_reason(job).find("25.0 % of the waiting cannot be attributed to a rank") !=
        std::string::npos);
}

TEST_CASE("a rank that is late with the first kernel of its recording is not named") {
  kino::JobAnalysis job = kino_test::late_job();
  job.whole_steps = 0;
  job.blame.assign(3, {});
  job.blame[2] = {.collectives = 1,
                  .caused_ns = job.waits.recorded_waiting_ns(),
                  .first_kernel_ns = job.waits.recorded_waiting_ns()};
  CHECK(job.no_verdict() == kino::NoVerdict::before);
  CHECK_FALSE(job.straggler());
  CHECK(kino::verdict_title(job) ==
        "No verdict: Rank 2 arrived last and caused 8 ms of the 8 ms of waiting, but its recording does "
        "not show why");
  job.ranks[2] = std::make_shared<const kino::RankDigest>();  // without a number
  CHECK(kino::rank_name(job, 2) == "A rank without a number");
  job.names = {"a.json", "b.json", "c\n.json"};
  CHECK(kino::rank_name(job, 1) == "Rank 1");
  CHECK(kino::verdict_title(job).starts_with(
      "No verdict: The rank of c\\n.json arrived last and caused 8 ms of the 8 ms"));
  job.blame[2].first_kernel_ns /= 3;
  CHECK_FALSE(job.no_verdict());
  CHECK(job.straggler() == 2);
}

TEST_CASE("a total of waiting that excludes some time states which time it covers") {
  kino::JobAnalysis job = kino_test::late_job();
  job.whole_steps = 0;
  job.blame.assign(3, {});
  CHECK(kino::verdict_title(job) == "No straggler found; all ranks together wait 8 ms");
  job.waits.outside_waiting_ns = job.waits.waiting_ns();
  CHECK(kino::verdict_title(job) ==
        "No straggler found; in the time that all ranks recorded, they wait 0 ns in total");
}

TEST_CASE("without a straggler, the verdict names the largest cause and the excluded waiting") {
  kino::JobAnalysis job = kino_test::late_job();
  job.whole_steps = 0;
  const auto set_caused = [&](std::int64_t first, std::int64_t second, std::int64_t third) {
    job.blame.assign(3, {});
    job.blame[0].caused_ns = first;
    job.blame[1].caused_ns = second;
    job.blame[2].caused_ns = third;
  };
  set_caused(2'000'000, 2'500'000, 3'500'000);
  CHECK_FALSE(job.straggler());
  CHECK(kino::verdict_title(job) == "Rank 2 causes the most waiting: 3.5 ms of 8 ms (43.8 %)");
  set_caused(1'900'000, 1'900'000, 1'900'000);
  CHECK(kino::verdict_title(job) == "No straggler found; all ranks together wait 8 ms");
  for (kino::RankWaits& rank : job.waits.ranks) rank.caused_ns = 0;
  job.waits.ranks[2].caused_ns = 4'000'000;
  job.waits.outside_waiting_ns = 4'000'000;
  set_caused(1'200'000, 1'050'000, 1'750'000);
  CHECK_FALSE(job.straggler());
  CHECK(kino::verdict_title(job) == "Rank 2 causes the most waiting: 1.75 ms of 4 ms (43.8 %)");
  CHECK(kino::verdict_reason(job).starts_with("The verdict covers "));
}

TEST_CASE("the verdict reports what it leaves out") {
  kino::JobAnalysis job = blamed_job();
  CHECK(kino::verdict_reason(job).find("The verdict covers") == std::string::npos);
  job.waits.recorded = {0, 66'800'000};
  job.waits.outside_collectives = 1;
  job.waits.outside_waiting_ns = job.waits.waiting_ns() / 2;
  job.waits.not_waiting = 3;
  const std::string reason = kino::verdict_reason(job);
  CHECK(reason.find("The verdict covers the 66.8 ms that all ranks recorded. ") != std::string::npos);
  CHECK(reason.find("It excludes ") != std::string::npos);
  CHECK(reason.find("of waiting in collectives that began outside this time (1).") != std::string::npos);
  CHECK(reason.find("because their ranks do not wait for each other: 3.") != std::string::npos);
}

TEST_CASE("a collective without a last rank reports whether the recording or the clocks are the reason") {
  kino::JobAnalysis job = kino_test::late_job();
  REQUIRE_FALSE(job.waits.collectives.empty());
  kino::CollectiveWait& wait = job.waits.collectives.front();
  wait.last = kino::CollectiveWait::kNoRank;
  wait.outside = true;
  wait.arrival_gap_ns = 504'700;
  job.waits.tolerance_ns = 5'000;
  CHECK(kino::unnamed_last_text(job, 0).starts_with("Some ranks were not recording"));
  wait.outside = false;
  wait.arrival_gap_ns = 1'200;
  CHECK(kino::unnamed_last_text(job, 0) ==
        "The last two ranks arrived 1.2 µs apart. The clocks do not show which of them was last (tolerance "
        "5 µs).");
}

TEST_CASE("untraced CPU time is explained where it is a cause") {
  CHECK(kino::cpu_untraced_note("compute 98.0 %, other causes 2.0 %").empty());
  CHECK(kino::cpu_untraced_note("CPU untraced 51.1 %, CPU busy 39.3 %")
            .starts_with("CPU untraced: the GPU had "));
}

TEST_CASE("clocks agree within the largest difference between two ranks") {
  kino::JobAnalysis job = blamed_job();
  job.clocks.ranks[0].offset_ns = 1452;
  job.clocks.ranks[1].offset_ns = -1452;
  job.clocks.ranks[2].offset_ns = 0;
  CHECK(kino::clocks_text(job) == "Clocks agree within 2.904 µs");
  job.clocks.ranks[0].offset_ns = 145'200;
  CHECK(kino::clocks_text(job).starts_with("Clock offsets up to 146.7 µs"));
}

TEST_CASE("fitted clocks are only mentioned if clocks were fitted") {
  kino::JobAnalysis job = kino_test::late_job();
  CHECK(kino::clock_check_text(job).find("with fitted clocks") != std::string::npos);
  job.clocks.components = 3;
  CHECK(kino::clock_check_text(job).find("fitted") == std::string::npos);
  CHECK(kino::clock_check_text(job).find(" checked: ") != std::string::npos);
  job.clocks.raw.checked = 0;
  CHECK(kino::clock_check_text(job).empty());
}
