// Operators own the work they launch, count each call once, and print as PyTorch prints them.
#include <doctest/doctest.h>

#include "core/operators/key_averages.hpp"
#include "core/operators/memory_table.hpp"
#include "core/operators/operator_table.hpp"
#include "core/relations/gpu_work.hpp"
#include "core/trace/event_facts.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::OperatorGrouping;
using kino::OperatorRow;
using kino::Trace;

const OperatorRow& row_named(const Trace& trace, const std::vector<OperatorRow>& rows,
                             std::string_view name) {
  for (const OperatorRow& row : rows) {
    if (trace.names[kino::index_of(row.name)] == name) return row;
  }
  FAIL("no row");
  return rows.front();
}

std::vector<OperatorRow> rows_of(const Trace& trace, OperatorGrouping grouping = OperatorGrouping::name) {
  return kino::operator_rows(
      trace, kino::operator_tree(trace, kino::whole_range(trace), {.annotations = true}), grouping);
}

}  // namespace

TEST_CASE("an operator's self times leave out children and runtime calls") {
  const auto trace = EventFixture()
                         .op("aten::linear", 0, 100)
                         .op("aten::addmm", 10, 60)
                         .launch(20, 15, 1)
                         .kernel("gemm", 200, 500, 1)
                         .build();
  const auto rows = rows_of(*trace);
  const OperatorRow& linear = row_named(*trace, rows, "aten::linear");
  CHECK(linear.host_ns == 100);
  CHECK(linear.host_self_ns == 40);
  CHECK(linear.device_ns == 500);
  CHECK(linear.device_self_ns == 0);
  const OperatorRow& addmm = row_named(*trace, rows, "aten::addmm");
  CHECK(addmm.host_self_ns == 45);
  CHECK(addmm.device_self_ns == 500);
  CHECK(addmm.tensor_core_eligible);
}

TEST_CASE("an only child of the same name is a part of its parent") {
  const auto trace = EventFixture()
                         .op("aten::to", 0, 100)
                         .op("aten::to", 10, 80)
                         .launch(20, 10, 1)
                         .kernel("copy", 200, 30, 1)
                         .build();
  const auto rows = rows_of(*trace);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calls == 1);
  CHECK(rows[0].host_ns == 100);
  CHECK(rows[0].host_self_ns == 90);
  CHECK(rows[0].device_self_ns == 30);
}

TEST_CASE("work belongs to the operator its External id names, else to the innermost one") {
  const auto trace = EventFixture()
                         .op("aten::first", 0, 50)
                         .external(1)
                         .op("aten::second", 60, 50)
                         .external(2)
                         .launch(70, 5, 9)
                         .external(1)
                         .kernel("k", 200, 30, 9)
                         .external(1)
                         .launch(80, 5, 10)
                         .external(77)
                         .kernel("k", 300, 40, 10)
                         .build();
  CHECK(trace->arguments.exceptions.size() == 2);
  const auto rows = rows_of(*trace);
  CHECK(row_named(*trace, rows, "aten::first").device_self_ns == 30);
  CHECK(row_named(*trace, rows, "aten::second").device_self_ns == 40);
}

TEST_CASE("operators are grouped by their input shapes") {
  const auto trace = EventFixture()
                         .op("aten::mm", 0, 10)
                         .told({{'I', "[[2, 3], [3, 4]]"}})
                         .op("aten::mm", 20, 10)
                         .told({{'I', "[[2, 3], [3, 4]]"}, {'T', "[\"float\", \"float\"]"}})
                         .op("aten::mm", 40, 10)
                         .told({{'I', "[[5, 3], [3, 4]]"}})
                         .build();
  CHECK(rows_of(*trace).size() == 1);
  CHECK(rows_of(*trace, OperatorGrouping::shape).size() == 2);
}

TEST_CASE("key averages print as PyTorch does") {
  const auto trace = EventFixture().op("aten::add", 0, 2500).memory(100, 2048, 1).build();
  const auto averages = kino::key_averages(*trace, kino::whole_range(*trace), kino::KeyAverageGrouping::name);
  REQUIRE(averages.rows.size() == 1);
  CHECK(averages.rows[0].cpu_bytes == 2048);
  CHECK(kino::key_averages_text(averages, kino::KeyAverageGrouping::name,
                                kino::KeyAverageOrder::self_cpu_time_total, 10) ==
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  ------------  \n"
        "         Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg       CPU Mem  "
        "Self CPU Mem    # of Calls  \n"
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  ------------  \n"
        "    aten::add       100.00%       2.500us       100.00%       2.500us       2.500us       2.00 Kb  "
        "     2.00 Kb             1  \n"
        "-------------  ------------  ------------  ------------  ------------  ------------  ------------  "
        "------------  ------------  \n"
        "Self CPU time total: 2.500us\n");
  CHECK(kino::key_averages_text({}, kino::KeyAverageGrouping::name, kino::KeyAverageOrder::none).empty());
}

TEST_CASE("memory has peaks by device and owners by thread") {
  const auto trace = EventFixture()
                         .op("aten::zeros", 0, 100)
                         .op("aten::empty", 10, 50)
                         .op("aten::relu", 300, 10)
                         .memory(20, 1000, 1)
                         .memory(30, 500, 2)
                         .memory(80, -1000, 1)
                         .memory(200, 300, 3)
                         .build();
  const auto devices = kino::memory_devices(*trace, kino::whole_range(*trace));
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].peak_bytes == 1500);
  CHECK(devices[0].peak_time_ns == 30);
  CHECK(devices[0].end_bytes == 800);
  CHECK(devices[0].allocations == 3);
  const auto rows = kino::memory_operators(*trace, kino::whole_range(*trace));
  REQUIRE(rows.size() == 3);
  CHECK(trace->names[kino::index_of(rows[0].name)] == "aten::empty");
  CHECK(rows[0].self_allocated_bytes == 1500);
  CHECK(rows[0].self_increase_bytes == 1500);
  CHECK(trace->names[kino::index_of(rows[2].name)] == "aten::zeros");
  CHECK(rows[2].allocated_bytes == 1500);
  CHECK(rows[2].increase_bytes == 500);
  CHECK(rows[2].self_increase_bytes == -1000);
}

TEST_CASE("rows that several threads share sum up to the same") {
  constexpr std::uint32_t kCalls = 70'000;  // more than one thread's piece of a row
  EventFixture events;
  events.op("aten::all", 0, 100 * kCalls);
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    const std::int64_t begin = 100 * i;
    events.op("aten::linear", begin + 1, 90).op("aten::addmm", begin + 10, 60);
    events.op("aten::addmm", begin + 20, 30).launch(begin + 25, 5, i + 1);  // merged into the one around it
    events.kernel("gemm", 100 * kCalls + 10 * i, 7, i + 1);
  }
  const auto trace = events.build();
  const auto rows = rows_of(*trace);
  const OperatorRow& all = row_named(*trace, rows, "aten::all");
  CHECK(all.host_self_ns == 100 * kCalls - 90 * kCalls);
  CHECK(all.device_ns == 7 * kCalls);
  CHECK(all.device_self_ns == 0);
  const OperatorRow& linear = row_named(*trace, rows, "aten::linear");
  CHECK(linear.calls == kCalls);
  CHECK(linear.host_self_ns == 30 * kCalls);
  CHECK(linear.device_ns == 7 * kCalls);
  const OperatorRow& addmm = row_named(*trace, rows, "aten::addmm");
  CHECK(addmm.calls == kCalls);
  CHECK(addmm.host_ns == 60 * kCalls);
  CHECK(addmm.host_self_ns == 55 * kCalls);
  CHECK(addmm.device_self_ns == 7 * kCalls);
}
