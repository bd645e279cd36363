// Covers: overview_sections
// Sections of the first page: utilization, memory and data quality, with the reasons for missing figures.
#include "core/tables/summary/overview_sections.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

const OverviewLine* line_of(const OverviewSection& section, const std::string& label) {
  const auto found =
      std::ranges::find_if(section.lines, [&](const OverviewLine& line) { return line.label == label; });
  return found != section.lines.end() ? &*found : nullptr;
}

OverviewSection utilization_of(const Trace& trace, const GpuUse& use) {
  const std::vector<TimeRange> windows{trace.range};
  return utilization_section(trace, use, KnownShares(trace, {}, {}, windows));
}

}  // namespace

TEST_CASE("utilization without input shapes states the reason and the option that records them") {
  const auto trace = EventFixture().op("aten::mm", 0, 100).kernel("gemm", 0, 50).build();
  const OverviewSection section =
      utilization_of(*trace, {.busy_share = 0.5, .metrics = nullptr, .flops = {}});
  REQUIRE(line_of(section, "GPU busy") != nullptr);
  CHECK(line_of(section, "GPU busy")->value == "50.0 %");
  CHECK(line_of(section, "GPU busy")->note == "of the analyzed time, with copies");
  REQUIRE(line_of(section, "MFU") != nullptr);
  CHECK(line_of(section, "MFU")->value == "unknown");
  CHECK(line_of(section, "Achieved") == nullptr);
  CHECK(section.code == "profile(record_shapes=True)");
}

TEST_CASE("FLOPs of an unnamed device are a rate without an MFU, and a bound if some are unknown") {
  const auto trace = EventFixture().kernel("gemm", 0, 50).build();
  GpuUse use;
  use.flops.window_ns = 1'000'000;
  use.flops.types.push_back({"float", 2e9, 2e9, 0});
  use.flops.matrix_ns = 100;
  use.flops.uncounted_ns = 51;
  const OverviewSection section = utilization_of(*trace, use);
  REQUIRE(line_of(section, "Achieved") != nullptr);
  CHECK(line_of(section, "Achieved")->value == "at least 2 TFLOP/s");
  CHECK(line_of(section, "MFU")->value == "unknown");
  CHECK(std::ranges::any_of(
      section.notes, [](const Message& note) { return note.str().find("51.0 %") != std::string::npos; }));
}

TEST_CASE("labels begin with an upper case letter") {
  CHECK(as_label("pieces of GPU work") == "Pieces of GPU work");
  CHECK(as_label("GPU busy") == "GPU busy");
  CHECK(as_label("\xc3\xa9") == "\xc3\xa9");
  CHECK(as_label("").empty());
}

TEST_CASE("memory has the peak and the operator that allocates most, and a curve that keeps the peak") {
  const auto trace = EventFixture()
                         .op("aten::empty", 0, 1000)
                         .memory(100, 3'000'000, 1)
                         .memory(110, -3'000'000, 1)
                         .memory(500, 1'000'000, 2)
                         .build();
  const std::vector<MemoryDevice> devices = memory_devices(*trace, whole_range(*trace));
  REQUIRE(devices.size() == 1);
  const OverviewSection section = memory_section(*trace, devices, ByteUnits::decimal);
  REQUIRE(section.lines.size() == 2);
  CHECK(section.lines[0].value == "3.00 MB");
  CHECK(section.lines[1].note == "aten::empty");
  CHECK(section.lines[1].value == "4.00 MB");
  const MemoryColumns columns = memory_columns(*trace, devices);
  REQUIRE(columns.bytes.size() == MemoryColumns::kColumns);
  CHECK(columns.peak_bytes == 3e6);
  CHECK(columns.bytes.back() == 1e6);
}

TEST_CASE("without memory events, the section names the option that records them") {
  const auto trace = EventFixture().op("aten::mm", 0, 10).build();
  const OverviewSection section = memory_section(*trace, {}, ByteUnits::decimal);
  CHECK(section.lines.empty());
  CHECK(section.code == "profile(profile_memory=True)");
  CHECK(memory_columns(*trace, {}).bytes.empty());
}

TEST_CASE("the quality section counts the events, and names work without a launch") {
  const auto trace = EventFixture().op("aten::mm", 0, 10).kernel("gemm", 5, 20, 1).build();
  const OverviewSection section = quality_section(*trace, data_quality_report(*trace));
  REQUIRE(line_of(section, "Events read") != nullptr);
  CHECK(line_of(section, "GPU time with a known launch")->value == "0.0 %");
  CHECK(std::ranges::any_of(section.lines, [](const OverviewLine& line) {
    return line.label.str().find("without a launch") != std::string::npos && line.value == "1";
  }));
}
