// Covers: job_ledger, rank_ledger, job_ledger_table, collective_waits
// Ledgers of hand-made jobs: waiting is that of the collectives, and the rows add up to the steps.
#include "core/job/tables/job_ledger.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/messages/message.hpp"
#include "core/job/tables/each_rank_tables.hpp"
#include "core/job/tables/job_tables.hpp"
#include "core/job/tables/pipelines.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/pipeline_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

using kino::JobLedgerStep;
using kino::RankLedger;
using kino::StepRow;
using kino_test::kJobOrigin;
using kino_test::kMicrosecond;
using kino_test::MadeRank;

namespace {

std::int64_t number_of(StepRow row) { return static_cast<std::int64_t>(row); }

/// Gives a rank a ledger with one window per step. `pieces` are as in RankLedger, with times since
/// kJobOrigin; the rest of each window is idle_tail.
void give_ledger(MadeRank& digest, std::vector<std::vector<std::int64_t>> pieces) {
  const std::uint32_t gpu = digest.texts.intern("0");
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> packed;
  for (const kino::RankStep& step : digest.steps) {
    const auto window = static_cast<std::int64_t>(digest.ledger.windows.size());
    digest.ledger.windows.push_back({step.number, gpu, step.range});
    kino::StepTimes sums;
    for (std::vector<std::int64_t>& piece : pieces) {
      if (piece[0] != window) continue;
      sums[static_cast<StepRow>(piece[1])] += piece[4];
      piece[3] += kJobOrigin;
      packed.insert(packed.end(), piece.begin(), piece.end());
    }
    sums[StepRow::idle_tail] += step.range.length_ns() - sums.total();
    for (std::size_t row = 0; row < kino::kStepRowCount; ++row) {
      const std::int64_t ns = sums[static_cast<StepRow>(row)];
      if (ns != 0) times.insert(times.end(), {window, static_cast<std::int64_t>(row), ns});
    }
  }
  digest.ledger.times = kino::PackedTable(RankLedger::kTimeColumns, times);
  digest.ledger.pieces = kino::PackedTable(RankLedger::kPieceColumns, packed);
}

/// Two ranks with two all-reduces in one step of 1 ms. Rank 1 is 100 us late to the first one, of which rank
/// 0 exposes only the last 150 of 200 us. Only rank 0 has a third collective.
std::vector<MadeRank> two_ranks(std::int64_t world) {
  std::vector<MadeRank> digests = kino_test::ranks_of({0, 1}, world);
  for (MadeRank& digest : digests)
    digest.steps.push_back({3, {kJobOrigin, kJobOrigin + 1000 * kMicrosecond}});
  MadeRank& first = digests[0];
  MadeRank& late = digests[1];
  for (int i = 0; i < 2; ++i) {
    const std::int64_t at = 400 * kMicrosecond * i;
    kino_test::add(first, at, at + 200 * kMicrosecond, i);
    kino_test::add(late, at + (i == 0 ? 100 : 0) * kMicrosecond, at + 200 * kMicrosecond, i);
  }
  kino_test::add(first, 700 * kMicrosecond, 750 * kMicrosecond, 2);
  const std::int64_t unsplit = number_of(StepRow::comm_unsplit);
  give_ledger(first, {{0, unsplit, 0, 50 * kMicrosecond, 150 * kMicrosecond},
                      {0, unsplit, 1, 400 * kMicrosecond, 200 * kMicrosecond},
                      {0, unsplit, 2, 700 * kMicrosecond, 50 * kMicrosecond}});
  give_ledger(late, {{0, unsplit, 0, 100 * kMicrosecond, 100 * kMicrosecond},
                     {0, unsplit, 1, 400 * kMicrosecond, 200 * kMicrosecond}});
  return digests;
}

kino::Table ledger_table(const kino::JobAnalysis& job, const char* group) {
  kino::TableRequest request;
  request.name = "ledger";
  request.group = group;
  return kino::job_table({job, {}}, request).value();
}

}  // namespace

TEST_CASE("the exposed part of a collective waits for the last rank and then transfers data") {
  const kino::JobAnalysis job = kino_test::analysis_of(two_ranks(2));
  REQUIRE(job.waits.kernels[0][0].waiting_ns == 100 * kMicrosecond);
  const std::vector<JobLedgerStep> steps = kino::job_ledger(job);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].rank == 0);
  CHECK(steps[0].step == 3);
  CHECK(steps[0].gpu == "0");
  CHECK(steps[0].times[StepRow::comm_waiting] == 50 * kMicrosecond);
  CHECK(steps[0].times[StepRow::comm_moving] == 300 * kMicrosecond);
  CHECK(steps[0].times[StepRow::comm_unsplit] == 50 * kMicrosecond);
  CHECK(steps[1].times[StepRow::comm_waiting] == 0);
  CHECK(steps[1].times[StepRow::comm_moving] == 300 * kMicrosecond);
  for (const JobLedgerStep& step : steps) {
    CHECK(step.times.total() == step.length_ns);
    CHECK_FALSE(step.waits_at_least);
  }
}

TEST_CASE("waiting is a lower bound if ranks of the collective are missing") {
  const kino::JobAnalysis job = kino_test::analysis_of(two_ranks(4));
  const std::vector<JobLedgerStep> steps = kino::job_ledger(job);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].waits_at_least);
  const kino::Table table = ledger_table(job, "row");
  CHECK(kino_test::text(table, "cause", 0) == "comm:waiting");
  CHECK(kino_test::text(table, "bound", 0) == "at least");
  CHECK(kino_test::text(table, "bound", 1).empty());
}

TEST_CASE("the bubble of a pipeline is separated from messages, and from idle time during messages") {
  std::vector<MadeRank> digests = kino_test::two_stages();
  const std::int64_t p2p = number_of(StepRow::comm_p2p);
  const std::int64_t silent = number_of(StepRow::idle_silent);
  // The first stage has its messages on the GPU, the second on CPU threads.
  give_ledger(digests[0], {{0, p2p, 0, 100 * kMicrosecond, 10 * kMicrosecond},
                           {0, p2p, 1, 210 * kMicrosecond, 110 * kMicrosecond},
                           {0, p2p, 2, 320 * kMicrosecond, 10 * kMicrosecond},
                           {0, p2p, 3, 430 * kMicrosecond, 110 * kMicrosecond}});
  give_ledger(digests[1], {{0, silent, 0, 0, 110 * kMicrosecond}});
  const kino::JobAnalysis job = kino_test::analysis_of(std::move(digests));
  const kino::Pipeline pipeline = kino::pipelines_of(job).at(0);
  const std::vector<JobLedgerStep> steps = kino::job_ledger(job);
  REQUIRE(steps.size() == 4);  // two steps of two ranks
  const kino::StageTimes& stage = pipeline.steps[0].stages[0];
  CHECK(steps[0].times[StepRow::idle_bubble] == stage.bubble_ns);
  CHECK(steps[0].times[StepRow::comm_waiting] == stage.straggling_ns);
  CHECK(steps[0].times[StepRow::comm_p2p] == 240 * kMicrosecond - stage.bubble_ns);
  CHECK(steps[1].times[StepRow::idle_bubble] == 100 * kMicrosecond);
  CHECK(steps[1].times[StepRow::idle_silent] == 10 * kMicrosecond);
  for (const JobLedgerStep& step : steps) CHECK(step.times.total() == step.length_ns);
}

TEST_CASE("the ledger of a trace keeps the exposed parts of its collectives, and adds up") {
  const auto trace = kino::EventFixture()
                         .launch(20, 10, 1)
                         .kernel("gemm", 50, 200, 1)
                         .launch(150, 10, 2)
                         .kernel("ncclDevKernel_AllReduce_Sum", 200, 400, 2, "20")
                         .build();
  const kino::RankDigest digest =
      kino::digest_with_tables(*trace, kino::default_work_rules(), kino::RankDetails::ledger_and_layers);
  REQUIRE(kino::is_consistent(digest));
  const RankLedger& ledger = digest.ledger;
  REQUIRE(ledger.windows.size() == 1);
  CHECK(ledger.windows[0].step == -1);
  CHECK(ledger.windows[0].range.length_ns() == 550);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ledger.times.size(); ++i) sum += ledger.times.at(i, 2);
  CHECK(sum == 550);
  REQUIRE(ledger.pieces.size() == 1);
  const auto [window, row, kernel, begin_ns, length_ns] = ledger.pieces.row<RankLedger::kPieceColumns>(0);
  CHECK(window == 0);
  CHECK(row == number_of(StepRow::comm_unsplit));
  CHECK(kernel == 0);
  CHECK(begin_ns == digest.kernels.start_ns(0) + 50);
  CHECK(length_ns == 350);
}

TEST_CASE("each grouping of the ledger adds up to the steps of the ranks") {
  const kino::JobAnalysis job = kino_test::analysis_of(two_ranks(2));
  const kino::Table ranks = ledger_table(job, "rank");
  REQUIRE(ranks.row_count() == 2);
  for (std::uint32_t row = 0; row < 2; ++row) {
    std::int64_t sum = 0;
    for (const kino::TableColumn& column : ranks.columns) {
      if (column.unit == kino::Unit::ns && column.key != "length_ns")
        sum += std::get<kino::TableColumn::Integers>(column.values)[row];
    }
    CHECK(sum == kino_test::integer(ranks, "length_ns", row));
  }
  CHECK(kino_test::integer(ranks, "waiting_ns", 0) == 50 * kMicrosecond);
  for (const char* const group : {"row", "mean"}) {
    const kino::Table table = ledger_table(job, group);
    std::int64_t sum = 0;
    for (std::uint32_t row = 0; row < table.row_count(); ++row) {
      sum += kino_test::integer(table, "time_ns", row);
      REQUIRE(table.links_of(row).size() == 1);
      CHECK(table.links_of(row)[0].recording() == kino_test::integer(table, "rank", row));
    }
    CHECK(sum == 2 * 1000 * kMicrosecond);
  }
}

TEST_CASE("ranks that were read without details have no ledger, which the job's tables report") {
  const auto trace = kino::EventFixture().launch(20, 10, 1).kernel("gemm", 50, 200, 1).build();
  std::vector<kino::RankDigest> digests;
  for (const std::int64_t rank : {0, 1}) {
    digests.push_back(kino::digest_with_tables(*trace, kino::default_work_rules(), kino::RankDetails::none));
    digests.back().rank = rank;
    digests.back().world_size = 2;
    CHECK_FALSE(kino::has_ledger_and_layers(digests.back()));
  }
  const kino::JobAnalysis job = kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  for (const char* const name : {"ledger", "layers"}) {
    CAPTURE(name);
    kino::TableRequest request;
    request.name = name;
    const auto table = kino::job_table({job, {}}, request);
    REQUIRE(table.ok());
    REQUIRE_FALSE(table.value().notes.empty());
    CHECK(table.value().notes.back().str().starts_with(
        "Ranks that were read without ledgers and layers: 2 of 2"));
  }
}
