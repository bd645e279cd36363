// Covers: named_devices, launch_links, step_costs, gpu_launches, trace_summary, copy_table,
//   gpu_breakdown, kernel_outliers, step_breakdown, time_base, data_quality_report, recorder_notes
// Devices that are not GPUs recorded by Kineto: Ascend (msprof), Intel (unitrace), MTIA, AMD (rocprof), and
// the GPUs of PyTorch's first profiler.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/kernel_outliers.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/recorder_notes.hpp"
#include "core/trace/steps.hpp"
#include "tests/fixtures/loader_files.hpp"

namespace {

using kino::SliceId;
using kino::SliceKind;
using kino::Trace;

std::shared_ptr<const Trace> trace_at(const std::filesystem::path& path) {
  const auto opened = kino_test::open(path);
  REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().what.str()));
  return opened.value().trace;
}

std::shared_ptr<const Trace> trace_of(std::string_view events) {
  const kino_test::TemporaryFolder folder;
  return trace_at(folder.write("trace.json", "[" + std::string(events) + "]"));
}

std::vector<kino::GpuBreakdown> breakdown_of(const Trace& trace) {
  const kino::TimeRange whole = kino::whole_range(trace);
  return kino::gpu_breakdown(trace, kino::gpu_work_in(trace, whole), whole);
}

SliceId slice_named(const Trace& trace, std::string_view name) {
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    if (trace.name_of(SliceId{i}) == name) return SliceId{i};
  }
  FAIL("there is no such slice: " << name);
  return kino::kNoSlice;
}

std::vector<std::string> gpu_titles(const Trace& trace) {
  std::vector<std::string> titles;
  for (const kino::Process& process : trace.processes) {
    if (process.gpu) titles.push_back(process.title);
  }
  return titles;
}

std::uint64_t count_of(const kino::DataQualityReport& report, kino::QualityFinding finding) {
  for (const kino::DataQualityLine& line : report.lines) {
    if (line.finding == finding) return line.count;
  }
  return 0;
}

// Process 1000, device 3: pids are 1000 << 10 | layer << 5 | 3.
constexpr std::string_view kAscend = R"(
{"ph": "M", "name": "process_name", "pid": 1000, "tid": 0, "args": {"name": "Python"}},
{"ph": "M", "name": "process_name", "pid": 1024419, "tid": 0, "args": {"name": "Ascend Hardware"}},
{"ph": "M", "name": "thread_name", "pid": 1024419, "tid": 2, "args": {"name": "Stream 2"}},
{"ph": "M", "name": "process_name", "pid": 1024483, "tid": 0, "args": {"name": "HCCL"}},
{"ph": "M", "name": "thread_name", "pid": 1024483, "tid": 0, "args": {"name": "Group 0 Communication"}},
{"ph": "M", "name": "thread_name", "pid": 1024483, "tid": 1, "args": {"name": "Plane 0"}},
{"ph": "X", "name": "aten::mul", "cat": "cpu_op", "pid": 1000, "tid": 1, "ts": "1000.000", "dur": 9},
{"ph": "X", "name": "aclnnMul", "cat": "cpu_op", "pid": 1000, "tid": 1, "ts": "1002.000", "dur": 5},
{"ph": "s", "bp": "e", "name": "torch_to_npu", "cat": "async_npu", "id": 7, "pid": 1000, "tid": 1, "ts": "1002.000"},
{"ph": "f", "bp": "e", "name": "torch_to_npu", "cat": "async_npu", "id": 7, "pid": 1024419, "tid": 2,
 "ts": "1010.000"},
{"ph": "X", "name": "aclnnMul_MulAiCore_Mul", "pid": 1024419, "tid": 2, "ts": "1010.000", "dur": 100},
{"ph": "X", "name": "MEMCPY_ASYNC", "pid": 1024419, "tid": 2, "ts": "1120.000", "dur": 20},
{"ph": "X", "name": "EVENT_WAIT", "pid": 1024419, "tid": 2, "ts": "1140.000", "dur": 500},
{"ph": "X", "name": "SDMA", "pid": 1024419, "tid": 4, "ts": "1210.000", "dur": 10},
{"ph": "X", "name": "Notify Wait", "pid": 1024419, "tid": 4, "ts": "1220.000", "dur": 400},
{"ph": "X", "name": "Write Value", "pid": 1024419, "tid": 4, "ts": "1610.000", "dur": 20},
{"ph": "X", "name": "hcom_allReduce__868_0_1", "pid": 1024483, "tid": 0, "ts": "1050.000", "dur": 200},
{"ph": "X", "name": "Notify_Wait", "pid": 1024483, "tid": 1, "ts": "1050.000", "dur": 900}
)";

}  // namespace

TEST_CASE("an Ascend device is one NPU with streams and collectives, and waits are not work") {
  const auto trace = trace_of(kAscend);
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"NPU 3"});
  CHECK(kino::device_word(*trace) == "NPU");
  const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].window.length_ns() == 240'000);
  CHECK(gpus[0].compute_ns() == 100'000);
  CHECK(gpus[0].communication_ns() == 200'000);
  CHECK(gpus[0].overlap_ns() == 60'000);
  CHECK(gpus[0].copy_ns() == 20'000);  // the transfer by SDMA is a part of the collective
  CHECK(gpus[0].idle_ns() == 0);
}

TEST_CASE("an arrow from a call to work on a device without correlations is its launch") {
  const auto trace = trace_of(kAscend);
  const SliceId kernel = slice_named(*trace, "aclnnMul_MulAiCore_Mul");
  const SliceId call = slice_named(*trace, "aclnnMul");
  CHECK(trace->link(kernel) == call);
  CHECK(trace->link(call) == kernel);
  REQUIRE(kino::launched_by(*trace, call).size() == 1);
  CHECK(kino::owner_of(*trace, kernel) == slice_named(*trace, "aten::mul"));
  CHECK(trace->flows.size() == 0);  // the link replaces the arrow
  CHECK(trace->launches_linked == 1);
  const kino::DataQualityReport report = kino::data_quality_report(*trace);
  CHECK(report.launches.all.calls.count == 1);
  CHECK(report.covered_launches() == 1.0);
  CHECK(count_of(report, kino::QualityFinding::stream_overlap) == 0);  // a mark crosses a wait
}

TEST_CASE("tasks of an Ascend stream are distinguished by name") {
  const auto trace = trace_of(kAscend);
  const auto kind = [&](std::string_view name) { return trace->kind(slice_named(*trace, name)); };
  CHECK(kind("MEMCPY_ASYNC") == SliceKind::copy);
  CHECK(kind("SDMA") == SliceKind::other);
  CHECK(kind("EVENT_WAIT") == SliceKind::gpu_sync);
  CHECK(kind("Notify Wait") == SliceKind::gpu_sync);
  CHECK(kind("Write Value") == SliceKind::other);
  CHECK(kind("Notify_Wait") == SliceKind::other);  // a part of the collective
  CHECK(kind("hcom_allReduce__868_0_1") == SliceKind::communication);
}

TEST_CASE("computing and communication on Ascend devices equal the recorder's own analysis") {
  for (const auto& path : kino_test::real_files({"kineto/msinsight"})) {
    if (path.filename().string().find("rank") == std::string::npos) continue;
    CAPTURE(path.string());
    const auto trace = trace_at(path);
    CHECK(gpu_titles(*trace).size() == 1);
    std::int64_t computing_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t rows = 0;  // each row is rounded separately
    for (std::uint32_t i = 0; i < trace->slice_count(); ++i) {
      const std::string_view name = trace->name_of(SliceId{i});
      if (name == "Computing") computing_ns += trace->slices.duration_ns[i];
      if (name == "Communication") communication_ns += trace->slices.duration_ns[i];
      if (name == "Computing" || name == "Communication") ++rows;
    }
    REQUIRE(computing_ns > 8'000'000);
    const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
    REQUIRE(gpus.size() == 1);
    CHECK(std::abs(gpus[0].compute_ns() - computing_ns) <= rows);
    CHECK(std::abs(gpus[0].communication_ns() - communication_ns) <= rows);
    // The trace has 215 kernels, copies and collectives with arrows from operators.
    const kino::DataQualityReport report = kino::data_quality_report(*trace);
    CHECK(count_of(report, kino::QualityFinding::gpu_work_without_launch) <= 5);
    CHECK(count_of(report, kino::QualityFinding::stream_overlap) == 0);
    const kino::StepCosts costs = kino::step_costs(kino::RangeAnalysis(*trace, kino::whole_range(*trace)));
    CHECK(costs[kino::FindingKind::exposed_communication].ns > 60'000'000);
  }
}

TEST_CASE("older Ascend recordings without useful task types have the same device") {
  const auto path = kino_test::real_data("trust/13_ascend_npu_work.json");
  if (!path) return;
  const auto trace = trace_at(*path);
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"NPU 0"});
  const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].communication_ns() == 35'563'307);
  CHECK(gpus[0].compute_ns() == 521'096);
}

TEST_CASE("a device of unitrace is a GPU, and its overlap is overlap on a GPU") {
  const auto trace = trace_of(R"json(
{"ph": "M", "name": "process_name", "pid": 4294963000, "tid": 0,
 "args": {"name": "RANK 0 DEVICE<node01>[Intel(R) Data Center GPU Max 1550] 0000:18:00.0 #0.1"}},
{"ph": "M", "name": "thread_name", "pid": 4294963000, "tid": 4294967001, "args": {"name": "L0"}},
{"ph": "X", "tid": 31, "pid": 31, "name": "zeCommandListAppendLaunchKernel", "cat": "cpu_op", "ts": 0, "dur": 8},
{"ph": "s", "tid": 31, "pid": 31, "name": "dep", "cat": "Flow_H2D_0_0", "ts": 0, "id": 0},
{"ph": "X", "tid": 4294967001, "pid": 4294963000, "name": "gemm[SIMD16]", "cat": "gpu_op", "ts": 30, "dur": 150},
{"ph": "t", "tid": 4294967001, "pid": 4294963000, "name": "dep", "cat": "Flow_H2D_0_0", "ts": 30, "id": 0},
{"ph": "X", "tid": 4294967001, "pid": 4294963000, "name": "zeCommandListAppendMemoryFill(128 bytes)",
 "cat": "gpu_op", "ts": 100, "dur": 100},
{"ph": "X", "tid": 4294967001, "pid": 4294963000, "name": "zeCommandListAppendBarrier", "cat": "gpu_op",
 "ts": 300, "dur": 500}
)json");
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"GPU 0.1 · Intel(R) Data Center GPU Max 1550"});
  const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].compute_ns() == 150'000);
  CHECK(gpus[0].copy_ns() == 100'000);
  CHECK(gpus[0].kernel_time_ns() == 170'000);
  const SliceId call = slice_named(*trace, "zeCommandListAppendLaunchKernel");
  CHECK(trace->kind(call) == SliceKind::runtime);
  CHECK(trace->link(slice_named(*trace, "gemm[SIMD16]")) == call);
  const kino::DataQualityReport report = kino::data_quality_report(*trace);
  CHECK(count_of(report, kino::QualityFinding::stream_overlap) == 1);
  CHECK(count_of(report, kino::QualityFinding::thread_overlap) == 0);
}

TEST_CASE("MTIA's waits and marks are not work, and its transfers are copies with direction and size") {
  const auto trace = trace_of(R"(
{"ph": "M", "name": "process_labels", "pid": 17, "tid": 0, "args": {"labels": "MTIA 17"}},
{"ph": "X", "cat": "mtia_ccp_events", "name": "event_wait", "pid": 17, "tid": 1, "ts": 100, "dur": 900,
 "args": {"stream": 108, "wait_on_stream": 104}},
{"ph": "X", "cat": "mtia_ccp_events", "name": "pe_exe", "pid": 17, "tid": 1, "ts": 1000, "dur": 60,
 "args": {"stream": 108}},
{"ph": "X", "cat": "mtia_ccp_events", "name": "event_record", "pid": 17, "tid": 1, "ts": 1060, "dur": 5,
 "args": {"stream": 108}},
{"ph": "X", "cat": "mtia_ccp_events", "name": "dma_request", "pid": 17, "tid": 2, "ts": 1000, "dur": 10,
 "args": {"stream": 105, "direction": "HOST_TO_DEVICE", "size": 4096}},
{"ph": "X", "cat": "mtia_ccp_events", "name": "dma_request", "pid": 17, "tid": 2, "ts": 1080, "dur": 20,
 "args": {"stream": 105, "direction": "DEVICE_TO_HOST", "size": 1024}})");
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"MTIA 17"});
  CHECK(kino::device_word(*trace) == "MTIA");
  CHECK(trace->kind(slice_named(*trace, "event_wait")) == SliceKind::gpu_sync);
  CHECK(trace->kind(slice_named(*trace, "event_record")) == SliceKind::other);
  const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].window.length_ns() == 100'000);
  CHECK(gpus[0].compute_ns() == 60'000);
  CHECK(gpus[0].copy_ns() == 30'000);
  const kino::TimeRange whole = kino::whole_range(*trace);
  const auto copies = kino::copy_rows(*trace, kino::gpu_work_in(*trace, whole), whole);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].direction == "dma_request DEVICE_TO_HOST");
  CHECK(copies[0].bytes == 1024);
  CHECK(copies[1].direction == "dma_request HOST_TO_DEVICE");
  CHECK(copies[1].bytes == 4096);
}

TEST_CASE("a large MTIA transfer is not an outlier among small ones, a slow small one is") {
  std::string events = R"({"ph": "M", "name": "process_labels", "pid": 17, "args": {"labels": "MTIA 17"}})";
  const auto add = [&](int start_us, int us, const char* size) {
    events += R"(,{"ph": "X", "cat": "mtia_ccp_events", "name": "dma_request", "pid": 17, "tid": 2, "ts": )" +
              std::to_string(start_us) + R"(, "dur": )" + std::to_string(us) +
              R"(, "args": {"direction": "HOST_TO_DEVICE", "size": )" + size + "}}";
  };
  for (int i = 0; i < 9; ++i) add(i * 100, 2, "1024");
  add(1000, 90, "17075072");
  add(1200, 80, "1024");
  const auto trace = trace_of(events);
  const kino::GpuWork work = kino::gpu_work_in(*trace, kino::whole_range(*trace));
  const auto outliers = kino::kernel_outliers(*trace, work);
  REQUIRE(outliers.size() == 1);
  CHECK(outliers[0].duration_ns == 80'000);
}

TEST_CASE("rocprof's kernels, copies and calls belong to a GPU, and its flows are launches") {
  const auto trace = trace_of(R"(
{"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "CPU HIP API"}},
{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "COPY"}},
{"ph": "M", "name": "process_name", "pid": 6, "args": {"name": "GPU0"}},
{"ph": "M", "name": "process_name", "pid": 8, "args": {"name": "GPU2"}},
{"ph": "X", "name": "hipMemcpyAsync", "pid": "2", "tid": "517", "ts": "90", "dur": "5"},
{"ph": "X", "name": "hipLaunchKernel", "pid": "2", "tid": "517", "ts": "100", "dur": "5"},
{"ph": "X", "name": "CopyHostToDevice", "pid": "1", "tid": "1", "ts": "100", "dur": "20", "args": {"dev-id": "2"}},
{"ph": "X", "name": "elementwise_kernel", "pid": "8", "tid": "1", "ts": "130", "dur": "70"},
{"ph": "s", "cat": "DataFlow", "id": 0, "pid": 2, "tid": 517, "name": "dep", "ts": 90},
{"ph": "t", "cat": "DataFlow", "id": 0, "pid": 1, "tid": 1, "name": "dep", "ts": 100},
{"ph": "s", "cat": "DataFlow", "id": 1, "pid": 2, "tid": 517, "name": "dep", "ts": 100},
{"ph": "t", "cat": "DataFlow", "id": 1, "pid": 8, "tid": 1, "name": "dep", "ts": 130})");
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"GPU 2"});
  // The number identifies a thread, not a stream.
  CHECK(std::ranges::any_of(trace->tracks,
                            [](const kino::Track& it) { return it.name == "kernels of thread 1"; }));
  const std::vector<kino::GpuBreakdown> gpus = breakdown_of(*trace);
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].compute_ns() == 70'000);
  CHECK(gpus[0].copy_ns() == 20'000);
  CHECK(gpus[0].idle_ns() == 10'000);
  const kino::LaunchCounts launches = kino::count_launches(*trace, kino::whole_range(*trace));
  CHECK(launches.all.with_work.count == 2);
  CHECK(launches.all.without_work.count == 0);
}

TEST_CASE("PyTorch's first profiler has operators on the CPU, and no GPU work") {
  const auto trace = trace_of(R"(
{"name": "aten::zeros", "ph": "X", "ts": 100, "dur": 90, "tid": 1, "pid": "CPU functions", "args": {}},
{"name": "aten::zeros", "ph": "X", "ts": 102, "dur": 93, "tid": 0, "pid": "CUDA functions", "args": {}})");
  CHECK(gpu_titles(*trace) == std::vector<std::string>{"GPU · times of operators"});
  CHECK(breakdown_of(*trace).empty());
  CHECK(trace->kind(slice_named(*trace, "aten::zeros")) != SliceKind::other);
}

namespace {

/// Twelve kernels of 400 us, one each ms, on `gpus` GPUs in turn. Launches of `unlaunched` are not recorded.
std::shared_ptr<const Trace> kernels_in_turn(int gpus, int unlaunched = -1) {
  std::string events;
  for (int i = 0; i < 12; ++i) {
    const std::string at = std::to_string(1000 * i);
    const std::string launched = std::to_string(1000 * i + 300);
    const std::string started = std::to_string(1000 * i + 310);
    const std::string correlation = std::to_string(i + 1);
    events.append(i > 0 ? "," : "")
        .append(R"({"ph":"X","cat":"cpu_op","name":"aten::zeros","pid":9,"tid":9,"ts":)")
        .append(at)
        .append(R"(,"dur":290},)");
    if (i % gpus != unlaunched) {
      events.append(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":)")
          .append(launched)
          .append(R"(,"dur":5,"args":{"correlation":)")
          .append(correlation)
          .append("}},");
    }
    events.append(R"({"ph":"X","cat":"kernel","name":"gemm","pid":)")
        .append(std::to_string(i % gpus))
        .append(R"(,"tid":7,"ts":)")
        .append(started)
        .append(R"(,"dur":400,"args":{"correlation":)")
        .append(correlation)
        .append("}}");
  }
  return trace_of(events);
}

std::string late_sentence(const Trace& trace) {
  const kino::RangeAnalysis analysis(trace, kino::whole_range(trace));
  const kino::Findings findings = kino::find_findings(analysis, kino::ByteUnits::decimal);
  const auto late = std::ranges::find(findings.list, kino::FindingKind::launch_bound, &kino::Finding::kind);
  return late == findings.list.end() ? std::string() : late->sentence.str();
}

}  // namespace

TEST_CASE("idle time of several GPUs is the time in which all are idle, and sums over GPUs state this") {
  const auto trace = kernels_in_turn(2);
  const kino::RangeAnalysis analysis(*trace, kino::whole_range(*trace));
  const kino::TraceSummary summary = kino::summarize_trace(analysis, kino::ByteUnits::decimal);
  CHECK_MESSAGE(
      summary.findings.verdict.str().find(" During this time, both GPUs are idle.") != std::string::npos,
      summary.findings.verdict);
  const kino::Table table = kino::summary_table(*trace, summary, kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  const auto& bases = std::get<kino::TableColumn::Texts>(table.find("share_of")->values);
  const auto top = std::ranges::find(items, "top kernel");
  REQUIRE(top != items.end());
  CHECK(bases[static_cast<std::size_t>(top - items.begin())] == "the window of GPU work, summed over 2 GPUs");
}

TEST_CASE("findings on launches name the GPUs with recorded launches if other GPUs have none") {
  CHECK(
      late_sentence(*kernels_in_turn(2)).starts_with("Every GPU waits for work that is launched too late: "));
  const std::string one = late_sentence(*kernels_in_turn(2, 1));
  CHECK_MESSAGE(one.starts_with("GPU 0 waits for work that is launched too late: "), one);
  CHECK(one.find(" During this time, both GPUs are idle. The launches of the work on GPU 1 are not in the "
                 "trace.") != std::string::npos);
  const std::string some = late_sentence(*kernels_in_turn(4, 2));
  CHECK_MESSAGE(some.starts_with("Each of GPU 0, GPU 1, GPU 3 waits for work that is launched too late: "),
                some);
  CHECK(some.find("The launches of the work on GPU 2 are not in the trace.") != std::string::npos);
  // A real recording of rocprofv3, half of whose kernels were moved to a second GPU.
  if (const auto path = kino_test::real_data("trust/03b_rocprofv3_two_gpus.pftrace")) {
    const std::string late = late_sentence(*trace_at(*path));
    CHECK_MESSAGE(late.starts_with("GPU 4 waits for work that is launched too late: "), late);
    CHECK_MESSAGE(late.find("of the work on GPU 5 are not in the trace.") != std::string::npos, late);
  }
}

TEST_CASE("step markers in a process that launches nothing are reported") {
  const auto notes = [](const std::string& pid) {
    const auto trace = trace_of(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":)" + pid +
                                R"(,"tid":1,"ts":0,"dur":100},
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":10,"ts":5,"dur":1,
       "args":{"correlation":7}},
      {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":5,"args":{"correlation":7}})");
    return kino::english_texts(
        kino::mark_notes(*trace, kino::step_windows(*trace, kino::find_steps(*trace))));
  };
  CHECK(notes("10").empty());
  REQUIRE(notes("99").size() == 1);
  CHECK(notes("99")[0].starts_with("The steps are marked in one process (process 99)"));
  CHECK(notes("99")[0].ends_with(" The numbers still refer to these steps."));
}

TEST_CASE("tabs and line breaks in a recorder's note are spaces") {
  const auto trace =
      trace_of(R"({"ph":"i","cat":"recorder_note","name":"transfers.\n\t Please verify\t","ts":1})");
  CHECK(kino::english_texts(kino::recorder_notes(*trace)) ==
        std::vector<std::string>{"transfers. Please verify"});
}

TEST_CASE("exposed communication of several GPUs is that in which no GPU computes, and no bound for one") {
  // GPU 0 communicates for 4 ms, during 3 of which GPU 1 computes; before and after, both compute.
  const auto trace = trace_of(R"(
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":0,"dur":4000,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":8,"ts":4000,"dur":4000,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":8000,"dur":2000,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"gemm","pid":1,"tid":7,"ts":0,"dur":7000,"args":{"correlation":4}},
{"ph":"X","cat":"kernel","name":"gemm","pid":1,"tid":7,"ts":8000,"dur":2000,"args":{"correlation":5}})");
  const kino::Findings findings =
      kino::find_findings(kino::RangeAnalysis(*trace, kino::whole_range(*trace)), kino::ByteUnits::decimal);
  const auto exposed =
      std::ranges::find(findings.list, kino::FindingKind::exposed_communication, &kino::Finding::kind);
  REQUIRE(exposed != findings.list.end());
  CHECK(exposed->won_ns == 1'000'000);
  CHECK(exposed->bound == kino::WonBound::neither);
  CHECK(exposed->sentence ==
        "Communication runs while no GPU computes: 1 ms of 10 ms (10.0 %). Most of this time is in "
        "ncclDevKernel_SendRecv. Time in which another GPU computes is not included.");
}
