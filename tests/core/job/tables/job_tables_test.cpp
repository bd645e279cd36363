// Covers: job_tables, clock_table, instance_table, job_step_table, late_table, rank_table, rank_times,
//   step_waits, job_range
// Tables of a small job, computed by hand.
#include "core/job/tables/job_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/rank_times.hpp"
#include "core/job/step_waits.hpp"
#include "core/job/tables/job_range.hpp"
#include "core/job/tables/rank_table.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/link_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

using kino::JobAnalysis;
using kino::Table;
using kino::TableRequest;
using kino_test::integer;
using kino_test::number;
using kino_test::text;

namespace {

const std::vector<std::string> kNames{"a.json", "b.json", "c.json"};

Table table_of(const JobAnalysis& job, const char* name, const char* group = "") {
  TableRequest request;
  request.name = name;
  request.group = group;
  kino::Result<Table> table = kino::job_table({job, kNames}, request);
  REQUIRE_MESSAGE(table.ok(), table.error().what.str());
  return std::move(table).value();
}

}  // namespace

TEST_CASE("the table of ranks has delay caused, waiting and compute, and the parts add up") {
  const JobAnalysis job = kino_test::late_job();
  const Table table = table_of(job, "ranks");
  REQUIRE(table.row_count() == 3);
  CHECK(integer(table, "rank", 2) == 2);
  CHECK(integer(table, "caused_ns", 2) == 10 * 2 * 400'000);
  CHECK(integer(table, "times_last", 2) == 10);
  CHECK(integer(table, "saved_ns", 2) == 10 * 2 * 400'000);
  CHECK(integer(table, "waiting_ns", 0) == 10 * 400'000);
  CHECK(integer(table, "moving_ns", 0) == 10 * 50'000);
  CHECK(integer(table, "exposed_ns", 0) == 10 * 450'000);
  CHECK(integer(table, "exposed_waiting_ns", 0) == 10 * 400'000);
  CHECK(integer(table, "exposed_waiting_ns", 2) == 0);
  CHECK(text(table, "file", 1) == "b.json");
  CHECK(table.links_of(2).front().recording() == 2);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const kino::RankTimes times = kino::rank_times(*job.ranks[rank], job.waits.kernels[rank]);
    CHECK(times.compute_ns == 10 * 100'000);
    CHECK(times.compute_ns + times.exposed_ns + times.copy_ns + times.idle_ns == times.length_ns);
  }
}

TEST_CASE("communication concurrent with compute is not exposed, nor are copies concurrent with other work") {
  kino_test::MadeRank rank = kino_test::rank_of(0, 2);
  kino_test::add(rank, 100, 200);
  kino_test::add(rank, 150, 300);
  rank.compute = {{kino_test::kJobOrigin + 120, kino_test::kJobOrigin + 180}};
  rank.copies = {{kino_test::kJobOrigin + 290, kino_test::kJobOrigin + 320},
                 {kino_test::kJobOrigin + 400, kino_test::kJobOrigin + 410}};
  const std::vector<kino::KernelWait> waits{{0, 50}, {1, 10}};
  const kino::RankTimes times = kino::rank_times(std::move(rank).packed(), kino::KernelWaits(waits));
  CHECK(times.communication_ns == 200);
  CHECK(times.exposed_ns == 140);
  CHECK(times.exposed_waiting_ns == 20);  // 100 to 120; the second one waits beside compute
  CHECK(times.copy_ns == 30);
  CHECK(times.idle_ns == 80);
  CHECK(times.length_ns == 310);
  CHECK(kino::rank_times(kino_test::rank_of(0, 2).packed(), {}).length_ns == 0);
}

TEST_CASE("the table of collectives has the last rank, and the bandwidth of the transfer only") {
  const JobAnalysis job = kino_test::late_job();
  const Table each = table_of(job, "collectives");
  REQUIRE(each.row_count() == 10);
  CHECK(integer(each, "last", 3) == 2);
  CHECK(integer(each, "lead_ns", 3) == 400'000);
  CHECK(integer(each, "transfer_ns", 3) == 50'000);
  CHECK(integer(each, "bytes", 3) == 4'000'000);
  CHECK(number(each, "algorithm_bandwidth", 3) == doctest::Approx(80));
  CHECK(number(each, "bus_bandwidth", 3) == doctest::Approx(80 * 2 * 2.0 / 3));
  CHECK(text(each, "level", 3) == "A");
  CHECK(each.links_of(3).front().recording() == 2);
  const Table by_size = table_of(job, "collectives", "signature");
  REQUIRE(by_size.row_count() == 1);
  CHECK(integer(by_size, "calls", 0) == 10);
  CHECK(integer(by_size, "culprit", 0) == 2);
  CHECK(integer(by_size, "transfer_p99_ns", 0) == 50'000);
  const Table by_group = table_of(job, "collectives", "group");
  REQUIRE(by_group.row_count() == 1);
  CHECK(integer(by_group, "waiting_ns", 0) == job.waits.waiting_ns());
  CHECK(integer(by_group, "total_ns", 0) == 10 * (450'000 + 450'000 + 50'000));
}

TEST_CASE("groups with equal descriptions show their ranks, and a slow group is marked") {
  const JobAnalysis job =
      kino_test::job_with(8, {{{0, 4}}, {.ranks = {1, 5}, .transfer_ns = 300'000}, {{2, 6}}, {{3, 7}}});
  const Table table = table_of(job, "collectives", "group");
  REQUIRE(table.row_count() == 4);
  std::size_t slow = 0;
  for (std::uint32_t row = 0; row < 4; ++row) {
    const bool is_slow = text(table, "group", row) == "DATA_PARALLEL_GROUP (1, 5)";
    slow += is_slow ? 1 : 0;
    CHECK(text(table, "link", row) == (is_slow ? "slow" : "like the others"));
    CHECK(number(table, "compared_bandwidth", row) ==
          doctest::Approx(is_slow ? 13.97 : 103.95).epsilon(0.001));
    CHECK(number(table, "others_bandwidth", row) == doctest::Approx(103.95).epsilon(0.001));
  }
  CHECK(slow == 1);
  const Table single = table_of(kino_test::late_job(), "collectives", "group");
  CHECK(text(single, "group", 0) == "default_pg");
  CHECK(text(single, "link", 0).empty());
}

TEST_CASE("the table of ranks has the GPU index with interval and calls, dimmed if no difference is shown") {
  JobAnalysis job = kino_test::late_job();
  job.gpu[0] = {.ratio = 1.15, .low = 1.148, .high = 1.151, .calls = 516, .only_other = std::nullopt};
  job.gpu[1] = {.ratio = 1.03, .low = 1.01, .high = 1.05, .calls = 40, .only_other = std::nullopt};
  const Table ranks = table_of(job, "ranks");
  CHECK(number(ranks, "gpu_index", 0) == 1.15);
  CHECK(number(ranks, "gpu_index_low", 0) == 1.148);
  CHECK(number(ranks, "gpu_index_high", 0) == 1.151);
  CHECK(integer(ranks, "gpu_calls", 0) == 516);
  CHECK(text(ranks, "gpu_claim", 0) == "slower");
  CHECK(text(ranks, "gpu_claim", 1) == "no difference shown");
  CHECK(text(ranks, "gpu_claim", 2) == "too few calls");
  job.gpu[2].calls = 40;
  CHECK(text(table_of(job, "ranks"), "gpu_claim", 2) == "calls too short");
  const auto column = static_cast<std::size_t>(
      std::ranges::find(ranks.columns, "gpu_index", &kino::TableColumn::key) - ranks.columns.begin());
  CHECK_FALSE(kino::is_unattributed(ranks, column, 0));
  CHECK(kino::is_unattributed(ranks, column, 1));
  CHECK_FALSE(kino::is_unattributed(ranks, 0, 1));
}

TEST_CASE("waiting, clocks and GPU index are empty for ranks without collectives or GPU work, not 0") {
  const JobAnalysis job = kino_test::analysis_of(kino_test::ranks_of({0, 1}, 2));
  const Table ranks = table_of(job, "ranks");
  REQUIRE(ranks.row_count() == 2);
  for (const char* key :
       {"caused_ns", "root_ns", "times_last", "waiting_ns", "moving_ns", "compute_ns", "communication_ns",
        "exposed_ns", "exposed_waiting_ns", "copy_ns", "idle_ns", "saved_ns", "offset_ns", "bar_ns"}) {
    CAPTURE(key);
    CHECK(integer(ranks, key, 0) == kino::kNoInteger);
  }
  CHECK(integer(ranks, "collectives", 0) == 0);
  const Table clocks = table_of(job, "clocks");
  CHECK(integer(clocks, "offset_ns", 1) == kino::kNoInteger);
  CHECK(integer(clocks, "bar_ns", 1) == kino::kNoInteger);
  CHECK(integer(table_of(kino_test::late_job(), "clocks"), "bar_ns", 1) != kino::kNoInteger);
}

TEST_CASE("sums by step, and by step and rank, equal those of the job") {
  const JobAnalysis job = kino_test::late_job();
  const Table steps = table_of(job, "steps");
  REQUIRE(steps.row_count() == 2);
  CHECK(integer(steps, "step", 1) == 1);
  CHECK(integer(steps, "length_ns", 1) == 5'000'000);
  CHECK(integer(steps, "spread_ns", 1) == 0);
  CHECK(integer(steps, "culprit", 1) == 2);
  CHECK(integer(steps, "caused_ns", 0) + integer(steps, "caused_ns", 1) == job.waits.ranks[2].caused_ns);
  const Table each = table_of(job, "steps", "rank");
  REQUIRE(each.row_count() == 6);
  std::int64_t waiting = 0;
  for (std::size_t row = 0; row < 6; ++row) waiting += integer(each, "waiting_ns", row);
  CHECK(waiting == job.waits.waiting_ns());
  CHECK(integer(each, "times_last", 5) == 5);
}

TEST_CASE("collectives outside of steps have a row without a number, and no straggler without waiting") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (kino_test::MadeRank& digest : digests) {
    for (int i = 0; i < 4; ++i) kino_test::add(digest, 100'000 * i, 100'000 * i + 50'000, i);
  }
  const JobAnalysis job = kino_test::analysis_of(std::move(digests));
  const std::vector<kino::JobStep> steps = kino::steps_of(job);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].number == -1);
  CHECK_FALSE(steps[0].straggler());
  CHECK_FALSE(steps[0].ranks[0].length_ns);
  CHECK(steps[0].ranks[0].collectives == 4);
  CHECK(integer(table_of(job, "steps"), "step", 0) == kino::kNoInteger);
}

TEST_CASE("each step has the collective with the longest waiting for a rank") {
  const JobAnalysis job = kino_test::late_job();
  const auto step_of = [&](const kino::LateCause& cause) {
    const kino::CollectiveWait& wait = job.waits.collectives[cause.collective];
    const kino::RankKernel& any = job.matched.instances[wait.instance].kernels.front();
    return job.ranks[any.rank]->kernels.step(any.kernel);
  };
  int found = 0;
  for (const kino::JobStep& step : kino::steps_of(job)) {
    for (std::uint32_t rank = 0; rank < step.ranks.size(); ++rank) {
      std::int64_t longest = 0;
      std::uint32_t collective = kino::KernelWait::kUnmatched;
      for (const kino::LateCause& cause : job.causes) {
        if (cause.root != rank || step_of(cause) != step.number || cause.caused_ns <= longest) continue;
        longest = cause.caused_ns;
        collective = cause.collective;
      }
      CHECK(step.ranks[rank].root_longest_ns == longest);
      CHECK(step.ranks[rank].root_collective == collective);
      found += longest > 0 ? 1 : 0;
    }
  }
  CHECK(found > 0);
}

TEST_CASE("clocks have one row per rank, and unsupported requests are errors") {
  const JobAnalysis job = kino_test::late_job();
  const Table clocks = table_of(job, "clocks");
  REQUIRE(clocks.row_count() == 3);
  CHECK(integer(clocks, "offset_ns", 0) == 0);
  TableRequest request;
  request.name = "kernels";
  CHECK(kino::job_table({job, kNames}, request).error().what.str().find("needs a single recording") !=
        std::string::npos);
  request.name = "ranks";
  request.group = "stack";
  CHECK(kino::job_table({job, kNames}, request).error().what.str().find("grouped by stack") !=
        std::string::npos);
  request.group = "";
  request.step = 3;
  CHECK(kino::job_table({job, kNames}, request).error().what.str().find("--step") != std::string::npos);
  for (const kino::TableInfo* const kind : kino::job_table_kinds()) {
    TableRequest nothing;
    nothing.name = kind->name;
    CHECK(kino::job_table({JobAnalysis(), {}}, nothing).value().row_count() == 0);
  }
}

TEST_CASE("a table in a range has collectives that began in it, and compute within it") {
  const JobAnalysis job = kino_test::late_job();
  // The job begins at the recordings' begin; five of ten collectives begin from 5 ms on.
  kino::TableRequest request;
  request.name = "ranks";
  request.range = kino::TimeRange{4'900'000, 20'000'000};
  const kino::Result<Table> table = kino::job_table({job, {}}, request);
  REQUIRE(table.ok());
  CHECK(integer(table.value(), "caused_ns", 2) == 5 * 2 * 400'000);
  CHECK(integer(table.value(), "waiting_ns", 0) == 5 * 400'000);
  CHECK(integer(table.value(), "collectives", 1) == 5);
  CHECK(integer(table.value(), "compute_ns", 0) == 5 * 100'000);
  request.name = "collectives";
  CHECK(kino::job_table({job, {}}, request).value().row_count() == 5);
  request.name = "steps";
  const Table steps = kino::job_table({job, {}}, request).value();
  REQUIRE(steps.row_count() == 1);
  CHECK(integer(steps, "length_ns", 0) == 5'000'000);
  request.range = kino::TimeRange{900'000'000, 901'000'000};
  CHECK(kino::job_table({job, {}}, request).value().row_count() == 0);
  request.name = "breakdown";
  CHECK_FALSE(kino::job_table({job, {}}, request).ok());
}

TEST_CASE("leaves out collectives of which a member began before the range") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (int i = 0; i < 4; ++i) {
    kino_test::add(digests[0], 1'000'000 * i, 1'000'000 * i + 450'000, i);
    kino_test::add(digests[1], 1'000'000 * i + 400'000, 1'000'000 * i + 450'000, i);
  }
  const JobAnalysis job = kino_test::analysis_of(std::move(digests));
  const JobAnalysis part =
      kino::job_in_range(job, {kino_test::kJobOrigin + 1'200'000, kino_test::kJobOrigin + 2'900'000});
  REQUIRE(part.waits.collectives.size() == 1);
  CHECK(part.waits.waiting_ns() == 400'000);
  CHECK(part.matched.alone == std::vector<kino::RankKernel>{{1, 0}});
  CHECK(part.ranks[1]->kernels.size() == 2);
}

TEST_CASE("communication in a range is the part within it") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1}, 2);
  for (int i = 0; i < 4; ++i) {
    kino_test::add(digests[0], 1'000'000 * i, 1'000'000 * i + 900'000, i);
    kino_test::add(digests[1], 1'000'000 * i + 400'000, 1'000'000 * i + 900'000, i);
  }
  const JobAnalysis job = kino_test::analysis_of(std::move(digests));
  kino::TableRequest request;
  request.name = "ranks";
  // From within the second collective to within the third.
  request.range = kino::TimeRange{1'600'000, 2'500'000};
  const Table ranks = kino::job_table({job, {}}, request).value();
  CHECK(integer(ranks, "communication_ns", 0) == 300'000 + 500'000);
  CHECK(integer(ranks, "communication_ns", 1) == 300'000 + 100'000);
  CHECK(integer(ranks, "exposed_ns", 0) == 800'000);
  CHECK(integer(ranks, "exposed_waiting_ns", 0) == 400'000);
}

TEST_CASE("the length of a step is that of its median rank, and the spread has a column") {
  std::vector<kino_test::MadeRank> digests = kino_test::ranks_of({0, 1, 2}, 3);
  for (std::size_t r = 0; r < 3; ++r) {
    constexpr std::int64_t kLengths[] = {5'000'000, 5'100'000, 9'000'000};
    digests[r].steps.push_back({7, {kino_test::kJobOrigin, kino_test::kJobOrigin + kLengths[r]}});
  }
  const Table steps = table_of(kino_test::analysis_of(std::move(digests)), "steps");
  REQUIRE(steps.row_count() == 1);
  CHECK(integer(steps, "length_ns", 0) == 5'100'000);
  CHECK(integer(steps, "spread_ns", 0) == 4'000'000);
  CHECK(integer(steps, "longest_ns", 0) == 9'000'000);
  CHECK_FALSE(kino::step_length({}));
  CHECK(kino::step_length({90, 10, 20, 40})->median_ns == 30);
}

TEST_CASE("late arrivals name the files of ranks without a number") {
  JobAnalysis job = kino_test::late_job();
  CHECK(table_of(job, "late").find("root_file") == nullptr);
  std::vector<kino_test::MadeRank> made = kino_test::ranks_of({0}, 3);
  for (int i = 0; i < 10; ++i) kino_test::add(made[0], 1'000'000 * i, 1'000'000 * i + 50'000, i);
  kino::RankDigest unnumbered = std::move(made[0]).packed();
  unnumbered.rank = -1;
  job.ranks[2] = std::make_shared<const kino::RankDigest>(std::move(unnumbered));
  const Table late = table_of(job, "late");
  REQUIRE(late.row_count() == 10);
  CHECK(integer(late, "last", 0) == kino::kNoInteger);
  CHECK(text(late, "last_file", 0) == "c.json");
  CHECK(text(late, "root_file", 0) == "c.json");
}
