// Covers: device_side
// Operator tables leave device cells empty if the trace has no device events, and note the reason.
#include "core/tables/operators/device_side.hpp"

#include <cstdint>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::kNoInteger;
using kino::TrackClass;

kino::Table whole_table(const kino::Trace& trace, const char* name) {
  const kino::TableInfo* const kind = kino::kind_named(kino::table_kinds(), name);
  REQUIRE(kind != nullptr);
  return kino::table_of(*kind, kino::RangeAnalysis(trace, kino::whole_range(trace)));
}

std::int64_t first_integer(const kino::Table& table, const char* key) {
  return std::get<kino::TableColumn::Integers>(table.find(key)->values).front();
}

std::string first_text(const kino::Table& table, const char* key) {
  return std::get<kino::TableColumn::Texts>(table.find(key)->values).front();
}

}  // namespace

TEST_CASE("leaves device time unknown in traces without GPU work") {
  const auto cpu = EventFixture().op("aten::mm", 0, 10).build();
  const kino::Table operators = whole_table(*cpu, "operators");
  CHECK(first_integer(operators, "host_total_ns") == 10);
  CHECK(first_integer(operators, "device_total_ns") == kNoInteger);
  CHECK(first_integer(operators, "device_self_ns") == kNoInteger);
  CHECK(first_text(operators, "tensor_cores_eligible").empty());
  REQUIRE(operators.notes.size() == 1);
  CHECK(operators.notes[0] == "No GPU work was recorded, so the GPU columns are empty.");
  const kino::Table averages = whole_table(*cpu, "key-averages");
  CHECK(first_integer(averages, "cpu_time_total") == 10);
  CHECK(first_integer(averages, "cuda_time_total") == kNoInteger);
  CHECK(first_integer(averages, "self_cuda_time_total") == kNoInteger);
}

TEST_CASE("notes that GPU work is missing, or that there are only GPU annotations") {
  const auto lost = EventFixture().op("aten::mm", 0, 10).launch(1, 2, 1).launch(5, 2, 2).build();
  CHECK(
      kino::no_device_note(*lost) ==
      "No GPU work was recorded, although the trace has launches (2). The GPU side of the recording is missing.");
  CHECK(whole_table(*lost, "operators").notes.back() == kino::no_device_note(*lost));
  const auto annotated = EventFixture()
                             .op("aten::mm", 0, 10)
                             .slice(TrackClass::gpu, "gpu_user_annotation", "forward", 20, 10, "7")
                             .build();
  CHECK(kino::no_device_note(*annotated) ==
        "No GPU work was recorded, only times of operators or annotations on the GPU.");
}

TEST_CASE("reports device time 0 for operators without GPU work if others have some") {
  const auto trace = EventFixture()
                         .op("aten::mm", 0, 10)
                         .launch(1, 2, 1)
                         .kernel("gemm", 100, 40, 1)
                         .op("aten::empty", 20, 10)
                         .build();
  CHECK(kino::records_gpu_work(*trace));
  CHECK(kino::no_device_note(*trace).empty());
  const kino::Table operators = whole_table(*trace, "operators");
  const auto& totals = std::get<kino::TableColumn::Integers>(operators.find("device_total_ns")->values);
  CHECK(totals == kino::TableColumn::Integers{40, 0});
  CHECK(first_text(operators, "tensor_cores_eligible") == "yes");
}

TEST_CASE("has memory in key averages only if allocations were recorded") {
  const auto without = EventFixture().op("aten::mm", 0, 10).build();
  const auto with = EventFixture().op("aten::mm", 0, 10).memory(5, 2048, 1).build();
  for (const char* const key :
       {"cpu_memory_usage", "self_cpu_memory_usage", "cuda_memory_usage", "self_cuda_memory_usage"})
    CHECK(first_integer(whole_table(*without, "key-averages"), key) == kNoInteger);
  CHECK(first_integer(whole_table(*with, "key-averages"), "cpu_memory_usage") == 2048);
}

TEST_CASE("names the device and the recorder in key averages") {
  const auto device_of = [](const char* category) {
    const auto trace = EventFixture()
                           .op("aten::mm", 0, 10)
                           .slice(TrackClass::cpu, category, "launch", 1, 2, "1", 1)
                           .kernel("gemm", 100, 40, 1)
                           .build();
    return kino::key_device_word(*trace);
  };
  CHECK(device_of("cuda_runtime") == "CUDA");
  CHECK(device_of("xpu_runtime") == "XPU");
  const auto npu = EventFixture().op("aten::mm", 0, 10).kernel("aclnnMatmul", 100, 40).build();
  for (kino::Process& process : std::const_pointer_cast<kino::Trace>(npu)->processes) {
    if (process.gpu) process.title = "NPU 0";
  }
  const kino::Table table = whole_table(*npu, "key-averages");
  const auto& devices = std::get<kino::TableColumn::Texts>(table.find("device")->values);
  CHECK(devices == kino::TableColumn::Texts{"CPU", "NPU"});
  CHECK(table.definition == "Values that PyTorch's key_averages() computes from the run itself.");
  const auto other = EventFixture().launch(0, 2, 1).kernel("gemm", 100, 40, 1).build();
  CHECK(whole_table(*other, "key-averages").definition.str().starts_with("Values computed as in PyTorch's"));
  CHECK(kino::key_device_word(*other) == "CUDA");
  const auto unitrace = EventFixture()
                            .op("zeCommandListAppendLaunchKernel", 0, 10)
                            .slice(TrackClass::gpu, "gpu_op", "gemm", 100, 40, "7")
                            .build();
  CHECK_FALSE(kino::recorded_by_pytorch(*unitrace));
  CHECK(kino::key_device_word(*unitrace) == "GPU");
}
