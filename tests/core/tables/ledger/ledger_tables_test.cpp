// Covers: ledger_tables, roofline, whole_tree
// The table `ledger` by cause: rows add up to each step, and those of the mean step to its length.
#include "core/tables/ledger/ledger_tables.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/ledger/roofline.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

kino::Table ledger_by(const kino::Trace& trace, const char* group) {
  const kino::RangeAnalyses analyses(trace);
  kino::TableQuery query;
  query.group = kino::kLedgerTable.group_named(group).value();
  return kino::kLedgerTable.compute(*analyses.of(kino::whole_range(trace)), query, {});
}

std::int64_t total_ns(const kino::Table& table) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) sum += kino_test::integer(table, "time_ns", row);
  return sum;
}

}  // namespace

TEST_CASE(
    "the rows of the ledger by cause add up to the steps, and those of the mean step to the mean length") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#4", 0, 100, "1")
      .launch(10, 5, 1)
      .kernel("gemm", 30, 40, 1)
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#5", 100, 51, "1")
      .launch(120, 5, 2)
      .kernel("ncclDevKernel_AllReduce", 130, 10, 2);
  const auto trace = events.build();
  CHECK(total_ns(ledger_by(*trace, "row")) == 151);
  CHECK(total_ns(ledger_by(*trace, "mean")) == 75);
  CHECK(ledger_by(*trace, "step").row_count() == 2);
}

TEST_CASE("a trace without GPU work has no rows by cause") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const auto trace = events.build();
  const kino::Table table = ledger_by(*trace, "row");
  CHECK(table.row_count() == 0);
  CHECK_FALSE(table.notes.empty());
}

TEST_CASE(
    "the roofline of a trace without GPU work has no rows, and an operator without shapes is left out") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10).launch(2, 3, 1).kernel("gemm", 10, 5, 1);
  const auto trace = events.build();
  const kino::RangeAnalyses analyses(*trace);
  const kino::Table table = kino::kRooflineTable.compute(*analyses.of(kino::whole_range(*trace)), {}, {});
  CHECK(table.row_count() == 0);
  CHECK(table.find("roof_share") != nullptr);
}

TEST_CASE("the utilization of several windows is that of their FLOPs and lengths together") {
  kino::Utilization sum{{{"float", 10, 20, 2}}, 100, 50, 5};
  sum += kino::Utilization{{{"float", 1, 2, 2}, {"c10::Half", 8, 8, 4}}, 10, 5, 1};
  CHECK(sum.window_ns == 110);
  CHECK(sum.matrix_ns == 55);
  CHECK(sum.uncounted_ns == 6);
  REQUIRE(sum.types.size() == 2);
  CHECK(sum.types[0].model_flop == 11);
  CHECK(sum.types[0].hardware_flop == 22);
  CHECK(sum.mfu() == doctest::Approx((11.0 / 2 + 8.0 / 4) / 110));
}
