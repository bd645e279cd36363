// Covers: ledger_table
// Causes of the time of steps of one trace.
#include "core/tables/compare/ledger_table.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/table_cells.hpp"

namespace {

std::int64_t cell(const kino::Table& table, const char* key, std::size_t row) {
  return kino_test::integer(table, key, row);
}

kino::Table ledger_of(const kino::Trace& trace) {
  const kino::RangeAnalyses analyses(trace);
  kino::TableRequest request;
  request.name = "ledger";
  const auto table = kino::compute_table(analyses, request, {});
  REQUIRE(table.ok());
  return table.value();
}

}  // namespace

TEST_CASE("a table has the word for the devices of its trace") {
  const auto trace = kino::EventFixture().launch(10, 5, 1).kernel("gemm", 30, 40, 1).build();
  CHECK(ledger_of(*trace).device == "GPU");
  for (kino::Process& process : std::const_pointer_cast<kino::Trace>(trace)->processes) {
    if (process.gpu) process.title = "NPU 0";
  }
  CHECK(ledger_of(*trace).device == "NPU");
}

TEST_CASE("has causes that add up to each step, even if a range cuts it") {
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
      if (column.unit != kino::Unit::ns || column.key == "length_ns") continue;
      // Garbage collection and locks are empty, since no Python function was recorded.
      const std::int64_t ns = cell(table, column.key.c_str(), row);
      if (ns != kino::kNoInteger) sum += ns;
    }
    CHECK(sum == cell(table, "length_ns", row));
  }
  request.range = kino::TimeRange{40, 60};
  const auto part = kino::compute_table(analyses, request, {});
  REQUIRE(part.ok());
  REQUIRE(part.value().row_count() == 1);
  CHECK(cell(part.value(), "compute_ns", 0) == 20);
}

TEST_CASE("has a column for idle time before work without a recorded launch") {
  const auto trace = kino::EventFixture()
                         .launch(0, 5, 1)
                         .kernel("gemm", 10, 10, 1)
                         .kernel("unlaunched", 50, 10)
                         .launch(70, 5, 2)
                         .kernel("gemm", 80, 20, 2)
                         .build();
  const kino::Table table = ledger_of(*trace);
  REQUIRE(table.row_count() == 1);
  CHECK(cell(table, "length_ns", 0) == 90);
  CHECK(cell(table, "compute_ns", 0) == 40);
  CHECK(cell(table, "idle_unlaunched_ns", 0) == 30);
  CHECK(cell(table, "idle_host_ns", 0) == 10);
  CHECK(cell(table, "idle_launch_ns", 0) == 10);
  CHECK(cell(table, "idle_host_sync_ns", 0) == 0);
  CHECK(
      table.notes ==
      std::vector<kino::Message>{
          "This trace has no steps. The row covers the device's window, from its first to its last work.",
          "30 ns of idle time precedes work whose launch is not in the trace. The reason for this idle time "
          "is unknown."});
}

TEST_CASE("leaves causes without recorded events unknown, instead of 0") {
  const kino::Table gpu = ledger_of(*kino::EventFixture().kernel("a", 0, 10).kernel("b", 30, 10).build());
  REQUIRE(gpu.row_count() == 1);
  CHECK(cell(gpu, "compute_ns", 0) == 20);
  CHECK(cell(gpu, "comm_ns", 0) == 0);
  CHECK(cell(gpu, "idle_unlaunched_ns", 0) == 20);
  CHECK(cell(gpu, "idle_tail_ns", 0) == 0);
  for (const char* key : {"idle_loader_ns", "idle_host_ns", "idle_launch_ns", "idle_host_sync_ns",
                          "idle_host_malloc_ns", "idle_host_gc_ns", "idle_host_lock_ns"}) {
    CAPTURE(key);
    CHECK(cell(gpu, key, 0) == kino::kNoInteger);
  }

  const kino::Table cpu = ledger_of(*kino::EventFixture().op("aten::mm", 0, 100).build());
  REQUIRE(cpu.row_count() == 1);
  CHECK(cell(cpu, "cpu_ns", 0) == 100);
  for (const char* key : {"compute_ns", "comm_ns", "copy_ns", "idle_loader_ns", "idle_host_ns",
                          "idle_launch_ns", "idle_unlaunched_ns", "idle_tail_ns", "idle_host_sync_ns"}) {
    CAPTURE(key);
    CHECK(cell(cpu, key, 0) == kino::kNoInteger);
  }
  REQUIRE(cpu.notes.size() == 2);
  CHECK(cpu.notes[0].str().starts_with(
      "No GPU work was recorded. Times refer to the thread with the most events"));
  CHECK(cpu.notes[1].str().ends_with("The row covers the time from the thread's first to its last event."));
}

TEST_CASE("leaves exposed communication unknown for collectives on CPU threads") {
  const auto table = [](const char* name) {
    kino::EventFixture events;
    events.slice(kino::TrackClass::cpu, "user_annotation", name, 0, 50, "2")
        .launch(0, 5, 1)
        .kernel("gemm", 10, 10, 1);
    return ledger_of(*events.build());
  };
  CHECK(cell(table("gloo:all_reduce"), "comm_ns", 0) == kino::kNoInteger);
  CHECK(cell(table("forward"), "comm_ns", 0) == 0);
}

TEST_CASE("counts the same communication kernels as the steps") {
  const auto trace = kino::EventFixture()
                         .slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#1", 0, 100, "1")
                         .kernel("_mxfp8_all_to_all_expert_major_kernel", 0, 30)
                         .kernel("gemm", 30, 50)
                         .build();
  const kino::Table table = ledger_of(*trace);
  CHECK(cell(table, "comm_ns", 0) == 30);
  CHECK(cell(table, "compute_ns", 0) == 50);
}
