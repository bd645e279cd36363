// Covers: serving_tables, serving_texts
// The tables iterations, serving and stalls: rows, links and notes.
#include "core/tables/serving/serving_tables.hpp"

#include <string>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

/// Decode, prefill, decode and decode, 100 ns apart.
std::shared_ptr<const kino::Trace> four_iterations() {
  kino::EventFixture events;
  int correlation = 0;
  for (const char* const name :
       {"execute_context_0(0)_generation_4(4)", "execute_context_2(64)_generation_0(0)",
        "execute_context_0(0)_generation_4(4)", "execute_context_0(0)_generation_4(4)"}) {
    const std::int64_t begin_ns = 100 * correlation++;
    const auto id = static_cast<std::uint32_t>(correlation);
    events.slice(kino::TrackClass::cpu, "user_annotation", name, begin_ns, 50, "1");
    events.launch(begin_ns + 10, 5, id).kernel("nvjet_gemm", begin_ns + 20, 60, id);
  }
  return events.build();
}

kino::Table table_of(const kino::Trace& trace, const kino::TableKind<kino::RangeParts>& kind,
                     kino::TimeRange range, const kino::IterationQuery& wanted = {}) {
  const kino::RangeAnalyses analyses(trace);
  kino::TableQuery query;
  query.iterations = wanted;
  return kind.compute(*analyses.of(range), query, {});
}

}  // namespace

TEST_CASE("the table of iterations has a row per iteration, with a link to its mark") {
  const auto trace = four_iterations();
  const kino::Table table = table_of(*trace, kino::kIterationTable, kino::whole_range(*trace));
  REQUIRE(table.row_count() == 4);
  CHECK(kino_test::text(table, "phase", 1) == "prefill");
  CHECK(kino_test::integer(table, "requests", 1) == 2);
  CHECK(kino_test::integer(table, "tokens", 1) == 64);
  CHECK(kino_test::integer(table, "window_ns", 1) == 100);
  CHECK(kino_test::text(table, "launched_by", 1) == "eager");
  CHECK(kino_test::text(table, "bound_by", 1) == "gemm");
  CHECK(kino_test::text(table, "left_out", 1).empty());
  CHECK(kino_test::text(table, "left_out", 3) == "cut by the end of the recording");
  CHECK(trace->name_of(table.slice_of(1)) == "execute_context_2(64)_generation_0(0)");
  REQUIRE_FALSE(table.notes.empty());
  CHECK(table.notes.front().str() == "4 iterations, from annotations (vllm).");
}

TEST_CASE("a range shows the iterations whose mark begins in it, with their numbers in the recording") {
  const auto trace = four_iterations();
  const kino::Table table = table_of(*trace, kino::kIterationTable, {100, 250});
  REQUIRE(table.row_count() == 2);
  CHECK(kino_test::integer(table, "iteration", 0) == 1);
  CHECK(table_of(*trace, kino::kServingTable, {100, 250}).row_count() == 2);
}

TEST_CASE("the table of statistics has a row per group, and parts that add up") {
  const auto trace = four_iterations();
  const kino::Table table = table_of(*trace, kino::kServingTable, kino::whole_range(*trace));
  REQUIRE(table.row_count() == 2);
  CHECK(kino_test::text(table, "phase", 0) == "decode");
  CHECK(kino_test::integer(table, "batch", 0) == 4);
  CHECK(kino_test::integer(table, "used", 0) == 2);
  CHECK(kino_test::integer(table, "total_ns", 0) == 200);
  CHECK(kino_test::integer(table, "generated_per_s", 0) == 40'000'000);
  CHECK(kino_test::integer(table, "gemm_ns", 0) + kino_test::integer(table, "idle_host_ns", 0) +
            kino_test::integer(table, "idle_scheduler_ns", 0) +
            kino_test::integer(table, "idle_launch_ns", 0) ==
        200);
  CHECK(kino_test::integer(table, "prefilled_per_s", 1) == 640'000'000);
}

TEST_CASE("the table of stalls has the prefill between two decodes") {
  const auto trace = four_iterations();
  const kino::Table table = table_of(*trace, kino::kStallTable, kino::whole_range(*trace));
  REQUIRE(table.row_count() == 1);
  CHECK(kino_test::integer(table, "iteration", 0) == 1);
  CHECK(kino_test::integer(table, "stall_ns", 0) == 100);
}

TEST_CASE("a trace without iterations has a note with the reason") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const auto trace = events.build();
  for (const auto* const kind : {&kino::kIterationTable, &kino::kServingTable, &kino::kStallTable}) {
    const kino::Table table = table_of(*trace, *kind, kino::whole_range(*trace));
    CHECK(table.row_count() == 0);
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes.front().str().starts_with("No iterations: "));
  }
}

TEST_CASE("a phase and a batch size select iterations, groups and stalls") {
  const auto trace = four_iterations();
  const kino::TimeRange all = kino::whole_range(*trace);
  const kino::IterationQuery prefill{.phase = "prefill"};
  const kino::Table rows = table_of(*trace, kino::kIterationTable, all, prefill);
  REQUIRE(rows.row_count() == 1);
  CHECK(kino_test::integer(rows, "iteration", 0) == 1);
  CHECK(table_of(*trace, kino::kServingTable, all, prefill).row_count() == 1);
  CHECK(table_of(*trace, kino::kStallTable, all, prefill).row_count() == 1);
  CHECK(table_of(*trace, kino::kStallTable, all, {.phase = "decode"}).row_count() == 0);
  // Three requests belong to the group of four.
  const kino::Table four = table_of(*trace, kino::kServingTable, all, {.batches = {3}});
  REQUIRE(four.row_count() == 1);
  CHECK(kino_test::integer(four, "batch", 0) == 4);
  CHECK(table_of(*trace, kino::kIterationTable, all, {.batches = {2, 4}}).row_count() == 4);
  CHECK(table_of(*trace, kino::kIterationTable, all, {.batches = {~std::uint64_t{0}}}).row_count() == 0);
}

TEST_CASE("all iterations count on request, and iterations that were left out can be hidden") {
  const auto trace = four_iterations();
  const kino::TimeRange all = kino::whole_range(*trace);
  const kino::Table kept = table_of(*trace, kino::kServingTable, all, {.keep_all = true});
  CHECK(kino_test::integer(kept, "used", 0) == 3);
  CHECK(kino_test::text(table_of(*trace, kino::kIterationTable, all, {.keep_all = true}), "left_out", 3)
            .empty());
  CHECK(table_of(*trace, kino::kIterationTable, all, {.used_only = true}).row_count() == 3);
}

TEST_CASE("a requested source is the only one that is tried") {
  const auto trace = four_iterations();
  const kino::TimeRange all = kino::whole_range(*trace);
  CHECK(table_of(*trace, kino::kIterationTable, all, {.source = kino::IterationSourceChoice::annotation})
            .row_count() == 4);
  const kino::Table none =
      table_of(*trace, kino::kIterationTable, all, {.source = kino::IterationSourceChoice::hand_over});
  CHECK(none.row_count() == 0);
  REQUIRE(none.notes.size() == 1);
  CHECK(none.notes.front().str() ==
        "No iterations from this source. Without --source, all sources are tried.");
}
