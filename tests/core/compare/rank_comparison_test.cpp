// Two jobs compared rank by rank, by made records.
#include "core/compare/rank_comparison.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "core/compare/comparison_tables.hpp"
#include "core/compare/gate.hpp"

namespace {

/// Five steps of one rank, of which the host takes some in garbage collection.
kino::RunRecord rank_of(std::int64_t rank, std::int64_t length_ns, std::int64_t collected_ns) {
  kino::RunRecord run;
  run.facts.rank = rank;
  run.facts.gpu_work = 1;
  run.rows.push_back({kino::LedgerCause::compute, "gemm", "aten::mm", {}, {}, {}});
  for (std::int64_t i = 0; i < 5; ++i) {
    kino::RunWindow& window = run.windows.emplace_back();
    window.name = std::to_string(i);
    window.range = {1000 * i, 1000 * i + length_ns + i};
    const std::int64_t idle_ns = collected_ns + 10;
    window.causes[static_cast<std::size_t>(kino::LedgerCause::compute)] = window.length_ns() - idle_ns;
    window.causes[static_cast<std::size_t>(kino::LedgerCause::idle_host)] = idle_ns;
    kino::HostTimes& host = window.host.emplace();
    host[static_cast<std::size_t>(kino::HostCause::collect)] = collected_ns;
    host[static_cast<std::size_t>(kino::HostCause::other)] = 10;
    run.rows.front().cells.push_back({static_cast<std::uint32_t>(i), window.length_ns() - idle_ns, 1});
  }
  return run;
}

}  // namespace

TEST_CASE("ranks that both jobs have are compared, each for itself") {
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

TEST_CASE("of jobs it is said which ranks could not be read, and who makes the others wait") {
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

TEST_CASE("the parts of the host's lateness are causes of their own, and add up to the step") {
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
  older.windows.front().host.reset();  // as a stored baseline of a version before
  CHECK(kino::compare_runs(older, b, {}).fine_causes().size() == it.waterfall.size());
  CHECK(kino::check_gate(condition.value(), older, b, it).result == kino::GateResult::inconclusive);
}
