// Covers: operator_tree, operator_owners, key_averages, key_averages_text, memory_table, operator_table
// Operators own the work they launch, count each call once, and print like PyTorch's.
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/gpu_work.hpp"
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

TEST_CASE("an operator's self times exclude children and runtime calls") {
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

TEST_CASE("an only child of the same name is part of its parent") {
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

TEST_CASE("work belongs to the operator of its External id, otherwise to the innermost one") {
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

TEST_CASE("key averages print like PyTorch's") {
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

TEST_CASE("memory is named by its device, also if the recorder numbers memory differently") {
  kino::Trace trace;
  kino::Process process;
  process.pid = "2";
  process.title = "GPU 2 · AMD Instinct MI300X";
  process.gpu = true;
  process.track_count = 1;
  trace.processes.push_back(process);
  kino::Track& counter = trace.tracks.emplace_back();
  counter.kind = kino::TrackKind::counter;
  counter.bytes = true;
  CHECK(kino::memory_device_name(trace, 2) == "GPU 2");
  CHECK(kino::memory_device_name(trace, 0) == "GPU 2");
  CHECK(kino::memory_device_name(trace, kino::ArgumentColumns::kMemoryHost) == "CPU");
  trace.tracks[0].bytes = false;  // its memory belongs to another device
  CHECK(kino::memory_device_name(trace, 0) == "GPU 0");
  trace.processes[0].pid = "0";
  trace.processes[0].title = "NPU 0";
  CHECK(kino::memory_device_name(trace, 0) == "NPU 0");
}

TEST_CASE("sums of rows do not depend on the number of threads") {
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

TEST_CASE("an operator's child remains its child if a runtime call crosses the operator's end") {
  const auto trace = EventFixture()
                         .op("aten::outer", 0, 200)
                         .op("aten::linear", 10, 90)
                         .launch(80, 30, 1)  // until 110
                         .op("aten::addmm", 85, 10)
                         .build();
  REQUIRE(trace->tracks[0].spilled_count > 0);
  const auto rows = rows_of(*trace);
  CHECK(row_named(*trace, rows, "aten::outer").host_self_ns == 200 - 90 - 30);
  CHECK(row_named(*trace, rows, "aten::linear").host_self_ns == 80);
  CHECK(row_named(*trace, rows, "aten::addmm").host_self_ns == 10);
}

TEST_CASE("calls that exceed their operator, or run after it, do not make its time negative") {
  const auto trace = EventFixture()
                         .op("record_param_comms", 0, 50)
                         .external(7)
                         .launch(1, 48, 1)
                         .launch(5, 40, 2)
                         .op("aten::inside", 10, 30)
                         .launch(100, 500, 3)
                         .external(7)
                         .build();
  const auto rows = rows_of(*trace);
  CHECK(row_named(*trace, rows, "record_param_comms").host_self_ns == 0);
  CHECK(row_named(*trace, rows, "aten::inside").host_self_ns == 30);
}

TEST_CASE("self times of operators and key averages are never negative, even if slices cross") {
  std::mt19937 random(30);
  for (int round = 0; round < 300; ++round) {
    EventFixture events;
    for (int i = 0; i < 25; ++i) {
      const auto at = static_cast<std::int64_t>(random() % 60);
      const auto length = static_cast<std::int64_t>(random() % 30);
      const std::string name = std::string("op ") + static_cast<char>('a' + random() % 3);
      switch (random() % 4) {
        case 0:
          events.slice(kino::TrackClass::cpu, "user_annotation", name, at, length, "1");
          break;
        case 1:
          events.launch(at, length, 0).external(1 + random() % 8);
          break;
        case 2:
          events.slice(kino::TrackClass::cpu, "python_function", name, at, length, "1");
          break;
        default:
          events.op(name, at, length).external(1 + random() % 8);
      }
    }
    const auto trace = events.build();
    for (const kino::TimeRange range : {kino::whole_range(*trace), kino::TimeRange{10, 40}}) {
      const auto tree = kino::operator_tree(*trace, range, {.annotations = true});
      for (const OperatorRow& row : kino::operator_rows(*trace, tree, OperatorGrouping::name))
        CHECK(row.host_self_ns >= 0);
      const auto averages = kino::key_averages(*trace, range, kino::KeyAverageGrouping::name);
      for (const auto& row : averages.rows) CHECK(row.self_cpu_ns >= 0);
    }
  }
}
