// Where the steps of one trace went.
#include "core/compare/ledger_table.hpp"

#include <variant>

#include <doctest/doctest.h>

#include "core/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

std::int64_t cell(const kino::Table& table, const char* key, std::size_t row) {
  return std::get<kino::TableColumn::Integers>(table.find(key)->values)[row];
}

}  // namespace

TEST_CASE("the causes of each step of a trace add up to it, also of a range that cuts it") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#4", 0, 100, "1")
      .launch(10, 5, 1)
      .kernel("gemm", 30, 40, 1)
      .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#5", 100, 50, "1")
      .launch(120, 5, 2)
      .kernel("ncclDevKernel_AllReduce", 130, 10, 2);
  const auto trace = events.build();
  const kino::RangeAnalyses analyses(*trace);
  kino::TableRequest request;
  request.name = "ledger";
  const auto whole = kino::compute_table(analyses, request, {});
  REQUIRE(whole.ok());
  const kino::Table& table = whole.value();
  REQUIRE(table.row_count() == 2);
  CHECK(cell(table, "length_ns", 0) == 100);
  CHECK(cell(table, "idle_host_ns", 0) == 10 + 30);
  CHECK(cell(table, "idle_launch_ns", 0) == 20);
  CHECK(cell(table, "compute_ns", 0) == 40);
  CHECK(cell(table, "comm_ns", 1) == 10);
  CHECK(cell(table, "idle_tail_ns", 1) == 10);
  for (std::size_t row = 0; row < 2; ++row) {
    std::int64_t sum = 0;
    for (const kino::TableColumn& column : table.columns) {
      if (column.unit == kino::Unit::ns && column.key != "length_ns")
        sum += cell(table, column.key.c_str(), row);
    }
    CHECK(sum == cell(table, "length_ns", row));
  }
  request.range = kino::TimeRange{40, 60};
  const auto part = kino::compute_table(analyses, request, {});
  REQUIRE(part.ok());
  REQUIRE(part.value().row_count() == 1);
  CHECK(cell(part.value(), "compute_ns", 0) == 20);
}
