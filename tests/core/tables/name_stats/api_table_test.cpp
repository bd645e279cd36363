// Covers: api_table
// Runtime calls by name: counts and percentiles computed by hand, ranges, and traces without calls.
#include "core/tables/name_stats/api_table.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::Table;
using kino::TimeRange;
using kino::TrackClass;

std::int64_t call_number(const Table& table, std::string_view key, std::size_t row) {
  return std::get<kino::TableColumn::Integers>(table.find(key)->values)[row];
}
const std::string& call_text(const Table& table, std::string_view key, std::size_t row) {
  return std::get<kino::TableColumn::Texts>(table.find(key)->values)[row];
}

std::shared_ptr<const kino::Trace> calls() {
  kino::EventFixture events;
  for (std::int64_t i = 1; i <= 10; ++i) events.launch(100 * i, i, static_cast<std::uint32_t>(i));
  events.slice(TrackClass::cpu, "cuda_driver", "cuLaunchKernel", 2000, 500, "1");
  events.slice(TrackClass::cpu, "cuda_driver", "cuLaunchKernel", 3000, 700, "2");
  events.op("aten::mm", 90, 50);
  return events.build();
}

Table table_in(const kino::Trace& trace, std::optional<TimeRange> range = std::nullopt) {
  kino::TableRequest request;
  request.name = "api";
  request.range = range;
  const auto table = kino::compute_table(kino::RangeAnalyses(trace), request);
  REQUIRE(table.ok());
  return table.value();
}

}  // namespace

TEST_CASE("counts calls by name with percentiles, most time first") {
  const auto trace = calls();
  const Table table = table_in(*trace);
  CHECK(table.name == "api");
  CHECK(table.title == "API calls");
  REQUIRE(table.row_count() == 2);
  CHECK(call_text(table, "name", 0) == "cuLaunchKernel");
  CHECK(call_text(table, "category", 0) == "cuda_driver");
  CHECK(call_number(table, "count", 0) == 2);
  CHECK(call_number(table, "total_ns", 0) == 1200);
  CHECK(call_text(table, "name", 1) == "cudaLaunchKernel");
  CHECK(call_number(table, "count", 1) == 10);
  CHECK(call_number(table, "total_ns", 1) == 55);
  CHECK(call_number(table, "min_ns", 1) == 1);
  CHECK(call_number(table, "median_ns", 1) == 5);
  CHECK(call_number(table, "p90_ns", 1) == 9);
  CHECK(call_number(table, "p99_ns", 1) == 10);
  CHECK(call_number(table, "max_ns", 1) == 10);
  CHECK(std::get<kino::TableColumn::Numbers>(table.find("mean_ns")->values)[1] == doctest::Approx(5.5));
  CHECK(trace->name_of(table.slice_of(0)) == "cuLaunchKernel");
  CHECK(trace->slices.duration_ns[kino::index_of(table.slice_of(0))] == 700);
  REQUIRE(table.notes.size() == 1);
}

TEST_CASE("clips calls to a range, and has no row or note without calls") {
  const auto trace = calls();
  const std::int64_t first =
      trace->slices.start_ns[kino::index_of(kino::slice_named(*trace, "cuLaunchKernel"))];
  const Table table = table_in(*trace, TimeRange{first + 100, first + 300});
  REQUIRE(table.row_count() == 1);
  CHECK(call_number(table, "total_ns", 0) == 200);
  kino::EventFixture events;
  const auto none = events.op("aten::mm", 0, 10).build();
  CHECK(table_in(*none).row_count() == 0);
  CHECK(table_in(*none).notes.empty());
}
