// Covers: rank_comparison, comparison_tables, gate
// Two jobs compared rank by rank, with synthetic records.
#include "core/tables/compare/rank_comparison.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/compare/comparison_tables.hpp"
#include "core/tables/compare/gate.hpp"

namespace {

/// Five steps of one rank, with some host time in garbage collection.
kino::RunRecord rank_of(std::int64_t rank, std::int64_t length_ns, std::int64_t collected_ns) {
  kino::RunRecord run;
  run.facts.rank = rank;
  run.facts.gpu_work = 1;
  run.rows.push_back({kino::TimeCategory::compute, "gemm", "aten::mm", {}, {}, {}});
  for (std::int64_t i = 0; i < 5; ++i) {
    kino::RunWindow& window = run.windows.emplace_back();
    window.name = std::to_string(i);
    window.range = {1000 * i, 1000 * i + length_ns + i};
    const std::int64_t idle_ns = collected_ns + 10;
    window.causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = window.length_ns() - idle_ns;
    window.causes[static_cast<std::size_t>(kino::TimeCategory::idle_host)] = idle_ns;
    kino::HostTimes& host = window.host.emplace();
    host[static_cast<std::size_t>(kino::HostCause::collect)] = collected_ns;
    host[static_cast<std::size_t>(kino::HostCause::other)] = 10;
    run.rows.front().cells.push_back({static_cast<std::uint32_t>(i), window.length_ns() - idle_ns, 1});
  }
  return run;
}

}  // namespace

TEST_CASE("compares each rank of both jobs with itself") {
  const std::vector<kino::RunRecord> a{rank_of(0, 100, 0), rank_of(1, 100, 0), rank_of(2, 100, 0)};
  const std::vector<kino::RunRecord> b{rank_of(1, 150, 50), rank_of(0, 100, 0)};
  const std::vector<kino::RankComparison> ranks = kino::compare_ranks(a, b, {});
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].rank == 0);
  CHECK(ranks[0].comparison.verdict == kino::RunVerdict::no_change);
  CHECK(ranks[1].rank == 1);
  CHECK(ranks[1].comparison.verdict == kino::RunVerdict::slower);
  const kino::Table table = kino::rank_change_table(ranks);
  REQUIRE(table.row_count() == 2);
  CHECK(std::get<kino::TableColumn::Texts>(table.find("cause")->values)[1] == "idle:host:gc");
  CHECK(kino::compare_ranks(a, {}, {}).empty());
  CHECK(kino::rank_change_table({}).row_count() == 0);
}

TEST_CASE("reports the ranks that could not be read, and those that others wait for") {
  const auto checks =
      kino::job_checks({3, {"Rank 3 is cut: r3.json"}, "Rank 1 makes the others wait"}, {4, {}, "No rank"});
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].result == kino::CheckResult::warns);
  CHECK(checks[0].a == "3 of 4");
  CHECK(checks[0].b == "4 of 4");
  CHECK(checks[0].line == "Rank 3 is cut: r3.json");
  CHECK(checks[1].a == "Rank 1 makes the others wait");
  CHECK(kino::job_checks({}, {2, {}, {}})[0].a == "one trace");
}

TEST_CASE("splits host causes, which add up to the step") {
  const kino::RunRecord a = rank_of(0, 100, 0);
  const kino::RunRecord b = rank_of(0, 150, 50);
  const kino::RunComparison it = kino::compare_runs(a, b, {});
  std::int64_t sum = 0;
  std::string names;
  for (const kino::ComparedCause& cause : it.fine_causes()) {
    sum += cause.change;
    names += text_of(cause) + " ";
  }
  CHECK(sum == it.step_change);
  CHECK(names == "compute idle:host:gc idle:host:other idle:launch idle:loader ");
  const auto condition = kino::parse_gate("idle:host:gc>+0%");
  REQUIRE(condition.ok());
  CHECK(kino::check_gate(condition.value(), a, b, it).result == kino::GateResult::failed);
  kino::RunRecord older = a;
  older.windows.front().host.reset();  // like a baseline stored by an earlier version
  CHECK(kino::compare_runs(older, b, {}).fine_causes().size() == it.waterfall.size());
  CHECK(kino::check_gate(condition.value(), older, b, it).result == kino::GateResult::inconclusive);
}

namespace {

/// Six steps of a rank: own work, then a collective.
kino::RunRecord rank_with(std::int64_t rank, std::int64_t own_ns, std::int64_t communication_ns,
                          int steps = 6) {
  kino::RunRecord run;
  run.facts.rank = rank;
  run.facts.gpu_work = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    kino::RunWindow& window = run.windows.emplace_back();
    window.name = std::to_string(i);
    window.range = {100'000 * i, 100'000 * i + own_ns + i + communication_ns};
    window.causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = own_ns + i;
    window.causes[static_cast<std::size_t>(kino::TimeCategory::comm)] = communication_ns;
  }
  return run;
}

/// A job whose ranks have equally long steps; the rest after own work is communication.
std::vector<kino::RunRecord> job_of(const std::vector<std::int64_t>& own_ns, std::int64_t step_ns,
                                    int steps = 6) {
  std::vector<kino::RunRecord> ranks;
  for (const std::int64_t own : own_ns)
    ranks.push_back(rank_with(static_cast<std::int64_t>(ranks.size()), own, step_ns - own, steps));
  return ranks;
}

}  // namespace

TEST_CASE("finds the root whose own work grew, and the waiting of others as its effect") {
  const auto a = job_of({8000, 8000, 8000, 8000}, 9000);
  const kino::JobChange slower = kino::job_change(a, job_of({8000, 8000, 9000, 8000}, 10'000));
  CHECK(slower.head == 2);
  CHECK(slower.roots == std::vector<std::int64_t>{2});
  CHECK(slower.sentence() ==
        "Rank 2: its own work takes 1 µs more per step. The other 3 ranks wait for it, and their "
        "communication takes 1 µs more.");
  const kino::JobChange faster = kino::job_change(job_of({8000, 9000}, 10'000), job_of({8000, 8000}, 9000));
  CHECK(faster.sentence() ==
        "Rank 1: its own work takes 1 µs less per step. The other rank waits for it, and its communication "
        "takes 1 µs less.");
  const kino::JobChange two = kino::job_change(a, job_of({8000, 8900, 9000, 8000}, 10'000));
  CHECK(two.roots == std::vector<std::int64_t>{2, 1});
  CHECK(two.sentence().str().starts_with(
      "Ranks 2 and 1: their own work takes up to 1 µs more per step. The other 2 ranks"));
}

TEST_CASE("finds no root if all ranks changed alike, none did, or only the network did") {
  const auto a = job_of({8000, 8000, 8000}, 9000);
  const kino::JobChange all = kino::job_change(a, job_of({9000, 9100, 8900}, 10'000));
  CHECK(all.roots.empty());
  CHECK(all.head == 0);  // the median rank
  CHECK(
      all.sentence() ==
      "On most ranks, own work takes 1 µs more per step (value of the median rank). No rank is an outlier.");
  const kino::JobChange network = kino::job_change(a, job_of({8000, 8000, 8000}, 9500));
  CHECK(network.sentence() ==
        "No rank's own work is an outlier. Exposed communication takes 500 ns more per step (value of the "
        "median rank).");
  CHECK(kino::job_change(a, a).sentence() == "No rank's own work is an outlier.");
}

TEST_CASE("matches ranks regardless of order, and leaves out others") {
  auto b = job_of({8000, 9000}, 10'000);
  std::swap(b[0], b[1]);
  b.push_back(rank_with(7, 20'000, 0));
  const kino::JobChange job = kino::job_change(job_of({8000, 8000, 8000}, 9000), b);
  REQUIRE(job.ranks.size() == 2);
  CHECK(job.ranks[0].own_ns == doctest::Approx(0));
  CHECK(job.ranks[1].own_ns == doctest::Approx(1000));
  CHECK(job.head == 1);
  CHECK(kino::job_change(job_of({8000}, 9000), {rank_with(7, 8000, 0)}).head == -1);
  CHECK(kino::job_change({}, {}).sentence().empty());
}

TEST_CASE("requires a significant root if there are enough steps") {
  auto noisy_a = job_of({8000, 8000, 8000}, 9000);
  auto noisy_b = job_of({8000, 8000, 8000}, 9000);
  // One of six steps is much longer: the mean of own work grew, but only within the noise.
  noisy_b[1].windows[3].causes[static_cast<std::size_t>(kino::TimeCategory::compute)] += 6000;
  noisy_b[1].windows[3].range.end_ns += 6000;
  CHECK(kino::job_change(noisy_a, noisy_b).roots.empty());
  CHECK(kino::job_change(job_of({8000, 8000, 8000}, 9000, 1), job_of({8000, 9000, 8000}, 10'000, 1)).roots ==
        std::vector<std::int64_t>{1});
}

TEST_CASE("the ledger table has the means of each row, and a note if a run has no ledger") {
  kino::RunRecord a;
  a.windows.resize(2);
  for (kino::RunWindow& window : a.windows) window.ledger.emplace()[kino::StepRow::copy] = 20;
  kino::RunRecord b = a;
  (*b.windows[1].ledger)[kino::StepRow::copy] = 40;
  const kino::Table table = kino::comparison_table(kino::compare_runs(a, b, {}), kino::kLedgerChangeTable);
  REQUIRE(table.find("change_ns") != nullptr);
  CHECK(std::get<kino::TableColumn::Integers>(table.find("change_ns")->values)[0] == 10);
  CHECK(table.notes.empty());
  b.windows[0].ledger.reset();
  const kino::Table empty = kino::comparison_table(kino::compare_runs(a, b, {}), kino::kLedgerChangeTable);
  CHECK(empty.notes.size() == 1);
}
