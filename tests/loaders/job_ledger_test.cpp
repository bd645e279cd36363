// Covers: job_ledger, rank_ledger, ledger_tables
// Real ranks: together with the other ranks, a trace shows more waiting than alone.
#include "core/job/tables/job_ledger.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/tables/each_rank_tables.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/ledger/ledger_report.hpp"
#include "tests/fixtures/job_fixture.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/real_data.hpp"

using kino::StepRow;

TEST_CASE("the ledger of rank 0 of torchtitan shows more waiting together with the four ranks than alone") {
  const auto folder = kino_test::real_data("kineto/torchtitan-4rank-runB");
  if (!folder) return;
  std::vector<kino::RankDigest> digests;
  std::vector<kino::StepTimes> alone;
  for (int rank = 0; rank < 4; ++rank) {
    const auto opened = kino_test::open(*folder / ("rank00000" + std::to_string(rank) + "_trace.json.gz"));
    REQUIRE(opened.ok());
    const kino::Trace& trace = *opened.value().trace;
    digests.push_back(
        kino::digest_with_tables(trace, kino::default_work_rules(), kino::RankDetails::ledger_and_layers));
    CHECK(kino::is_consistent(digests.back()));
    if (rank != 0) continue;
    const kino::RangeAnalysis whole(trace, kino::whole_range(trace));
    const kino::LedgerReport report = kino::ledger_report(whole);
    for (const kino::LedgerStep& step : report.gpus.at(0).steps) alone.push_back(step.times);
  }
  const kino::JobAnalysis job = kino::analyze_job(kino_test::job_of_digests(std::move(digests)));
  const std::vector<kino::JobLedgerStep> steps = kino::job_ledger(job);
  std::size_t next = 0;
  for (const kino::JobLedgerStep& step : steps) {
    CHECK(step.times.total() == step.length_ns);
    CHECK_FALSE(step.waits_at_least);
    if (step.rank != 0) continue;
    REQUIRE(next < alone.size());
    const kino::StepTimes& one = alone[next++];
    // The same time is exposed; only its rows differ.
    const auto collectives_ns = [](const kino::StepTimes& times) {
      return times[StepRow::comm_waiting] + times[StepRow::comm_moving] + times[StepRow::comm_unsplit];
    };
    CHECK(collectives_ns(step.times) == collectives_ns(one));
    CHECK(step.times[StepRow::comm_waiting] > one[StepRow::comm_waiting]);
    constexpr std::int64_t kTenthMs = 100'000;
    CHECK(one[StepRow::comm_waiting] / kTenthMs == 123);
    CHECK(step.times[StepRow::comm_waiting] / kTenthMs == 334);
  }
  CHECK(next == alone.size());
}
