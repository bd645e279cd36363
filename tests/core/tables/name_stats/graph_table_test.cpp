// Covers: graph_table
// Graph launches: replays of one graph are found by their work, and launches without work are counted.
#include "core/tables/name_stats/graph_table.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

std::shared_ptr<const kino::Trace> replays() {
  kino::EventFixture events;
  std::uint32_t id = 0;
  const auto launch = [&](std::int64_t at, bool large) {
    ++id;
    events.slice(kino::TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", at, 10, "1", id);
    events.kernel("gemm", at + 100, 50, id).kernel("relu", at + 160, 20, id);
    if (large) events.kernel("gemm", at + 190, 30 + at / 100, id);
  };
  launch(0, true);
  launch(1000, true);
  launch(2000, false);
  events.slice(kino::TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 3000, 7, "1", 99);
  events.launch(4000, 5, 100).kernel("gemm", 4100, 50, 100);  // no graph
  return events.build();
}

}  // namespace

TEST_CASE("groups launches with the same work as one graph") {
  const auto trace = replays();
  const auto rows = kino::graph_rows(*trace, kino::whole_range(*trace));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].launches.size() == 2);
  CHECK(rows[0].kernels == 3);
  CHECK(rows[0].busy_ns == 210);
  CHECK(rows[0].replay.min_ns == 120);
  CHECK(rows[0].replay.max_ns == 130);
  CHECK(rows[0].cpu_ns == 20);
  CHECK(trace->names[kino::index_of(rows[0].longest_work)] == "gemm");
  CHECK(rows[1].kernels == 2);
  CHECK(rows[1].replay.total_ns == 80);
  CHECK(rows[2].work.empty());
  const kino::Table table = kino::graph_table(*trace, rows);
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] == "Graph launches without GPU work in the trace: 1 of 4.");
  CHECK(std::get<kino::TableColumn::Integers>(table.find("replay_max_ns")->values)[2] == kino::kNoInteger);
}

TEST_CASE("leaves the kernels of a graph recorded as a whole unknown, but not its time") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 0, 10, "1", 1);
  events.slice(kino::TrackClass::gpu, "cuda_graph", "CUDA graph 4", 20, 90, "7", 1);
  const auto trace = events.build();
  const kino::Table table = kino::graph_table(*trace, kino::graph_rows(*trace, kino::whole_range(*trace)));
  REQUIRE(table.row_count() == 1);
  const auto cell = [&](const char* key) {
    return std::get<kino::TableColumn::Integers>(table.find(key)->values)[0];
  };
  CHECK(cell("launches") == 1);
  CHECK(cell("kernels") == kino::kNoInteger);
  CHECK(cell("work") == kino::kNoInteger);
  CHECK(cell("busy_ns") == 90);
  REQUIRE(table.notes.size() == 1);
  CHECK(
      table.notes[0] ==
      "The kernels and gaps of graphs that were recorded as a whole are unknown. The times of such graphs include the gaps.");
}

TEST_CASE("includes launches that start in the range with all their work") {
  const auto trace = replays();
  const auto rows = kino::graph_rows(*trace, {500, 1100});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].launches.size() == 1);
  CHECK(rows[0].replay.total_ns == 130);
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  const kino::Table table = kino::table_of(kino::kGraphTable, whole);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const auto instances = kino::kGraphTable.instances(whole, {table, row, table.slice_of(row), 0}, {});
    CHECK(static_cast<std::int64_t>(instances.size()) ==
          std::get<kino::TableColumn::Integers>(table.find("launches")->values)[row]);
  }
  CHECK(kino::graph_rows(*kino::EventFixture().build(), {0, 100}).empty());
}
