// Covers: trace_summary, known_shares, gpu_metrics
// The summary: one base for all shares, and sentences that count each moment once and fit the trace.
#include "core/tables/analysis/trace_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/known_shares.hpp"
#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::FindingKind;
using kino::RangeAnalysis;
using kino::StepRole;
using kino::TimeBase;
using kino::TimeRange;
using kino::Trace;
using kino::TraceSummary;
using kino::TrackClass;

constexpr const char* kLoader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

TraceSummary summary_of(const Trace& trace) {
  return kino::summarize_trace(RangeAnalysis(trace, kino::whole_range(trace)), kino::ByteUnits::decimal);
}

const kino::Finding* finding(const TraceSummary& summary, FindingKind kind) {
  const auto found = std::find_if(summary.findings.list.begin(), summary.findings.list.end(),
                                  [&](const kino::Finding& it) { return it.kind == kind; });
  return found == summary.findings.list.end() ? nullptr : &*found;
}

EventFixture& step(EventFixture& events, int number, std::int64_t start_ns, std::int64_t duration_ns) {
  return events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(number), start_ns,
                      duration_ns, "1");
}

/// Two steps with late work, and work before and after them.
std::shared_ptr<const Trace> steps_with_late_work() {
  EventFixture events;
  events.kernel("before", 0, 90);
  step(events, 1, 100, 100).launch(110, 5, 1).launch(120, 5, 2);
  step(events, 2, 200, 100).launch(210, 5, 3).launch(220, 5, 4);
  events.kernel("gemm", 130, 100, 1).kernel("ncclDevKernel_AllReduce", 250, 50, 2, "20");
  events.kernel("gemm", 320, 60, 3).slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 380, 20, "7", 4);
  return events.kernel("after", 900, 100).build();
}

}  // namespace

TEST_CASE("uses the marked steps for all times, with shares that add up") {
  const auto trace = steps_with_late_work();
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.findings.base.windows == std::vector{TimeRange{100, 200}, TimeRange{200, 300}});
  CHECK(summary.split.window.length_ns() == 200);
  CHECK(summary.split[StepRole::compute] == 100);  // 130 to 230
  CHECK(summary.split[StepRole::communication] == 50);
  CHECK(summary.split[StepRole::memcpy] == 0);  // runs after the steps
  REQUIRE(summary.gpus.size() == 1);
  CHECK(summary.gpus[0].busy_ns == 150);
  // Utilization is TensorBoard's: of the steps with the work they launched.
  CHECK(summary.base.window == TimeRange{100, 400});
  CHECK(summary.base.brief() == "2 steps with their GPU work");
  REQUIRE(summary.metrics.size() == 1);
  CHECK(summary.metrics[0].utilization == doctest::Approx(210.0 / 300));
  const kino::Table table = kino::summary_table(*trace, summary, kino::ByteUnits::decimal);
  const auto texts = [&](const char* key) -> const kino::TableColumn::Texts& {
    return std::get<kino::TableColumn::Texts>(table.find(key)->values);
  };
  const auto& values = std::get<kino::TableColumn::Numbers>(table.find("value")->values);
  double whole = 0;
  double gpu = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string& item = texts("item")[row];
    CAPTURE(item);
    if (item == "time") whole += values[row];
    if (item == "GPU idle") gpu += values[row];
    const bool on_gpu = item == "time" && row > 0 &&
                        (texts("of")[row] == "compute" || texts("of")[row] == "communication" ||
                         texts("of")[row] == "memcpy" || texts("of")[row] == "memset");
    if (on_gpu) gpu += values[row];
    if (item == "mean step") CHECK(values[row] == 100);
    if (item == "base") CHECK(texts("text")[row] == "the mean of 2 steps (#1 to #2), 100 ns");
    if (item == "time" || item == "GPU idle" || item == "mean step" || item.starts_with("top "))
      CHECK(texts("share_of")[row] == "the mean of 2 steps");
    if (item == "GPU utilization")
      CHECK(texts("share_of")[row] == "2 steps with their GPU work, kernels only, as in TensorBoard");
    if (item == "SM efficiency") CHECK(texts("share_of")[row] == "2 steps with their GPU work");
    // 100 of 200 ns; at most the length of a step
    if (item == "top kernel" && texts("of")[row] == "gemm") CHECK(values[row] == 50);
  }
  CHECK(whole == doctest::Approx(1));
  CHECK(gpu == doctest::Approx(1));
}

TEST_CASE("uses the GPU's window without steps, and the operators' without a GPU") {
  const auto on_gpu =
      EventFixture().op("a", 0, 50).launch(10, 5, 1).kernel("k", 100, 30, 1).kernel("k", 150, 50).build();
  const TraceSummary gpu = summary_of(*on_gpu);
  CHECK(gpu.base.kind == TimeBase::Kind::gpu_window);
  CHECK(gpu.base.window == TimeRange{100, 200});
  CHECK(gpu.split[StepRole::compute] == 80);
  CHECK(gpu.metrics.at(0).utilization == doctest::Approx(0.8));
  const auto on_cpu = EventFixture().op("a", 0, 50).op("b", 80, 20).build();
  const TraceSummary cpu = summary_of(*on_cpu);
  CHECK(cpu.findings.base.text("GPU") ==
        "the thread with the most events, from its first to its last event, 100 ns");
  CHECK(cpu.split[StepRole::cpu] == 70);
}

TEST_CASE("includes a call after the last operator in the base") {
  const auto trace = EventFixture()
                         .op("aten::mm", 0, 100)
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 100, 300, "1")
                         .build();
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.findings.verdict.str().find("cudaDeviceSynchronize (75.0 %)") != std::string::npos);
  CHECK(summary.split[StepRole::runtime] == 300);
  CHECK(summary.split.window.length_ns() == 400);
}

TEST_CASE("uses the range, or the step as marked, as base") {
  const auto trace = steps_with_late_work();
  const kino::RangeAnalyses analyses(*trace);
  const auto range = analyses.of({120, 260});
  CHECK(range->base().window == TimeRange{120, 260});
  const auto part = kino::summarize_trace(*range, kino::ByteUnits::decimal);
  CHECK(part.split.window.length_ns() == 140);
  CHECK(part.split[StepRole::compute] == 100);
  const auto one = analyses.of_step(range->steps().at(1), 1);
  CHECK(one->base().brief() == "step 2 with its GPU work");
  CHECK(one->base().window == TimeRange{300, 400});  // from the end of the GPU work of the step before
  const auto summary = kino::summarize_trace(*one, kino::ByteUnits::decimal);
  CHECK(summary.findings.base.brief("GPU") == "step 2");
  CHECK(summary.split[StepRole::compute] == 30);  // 200 to 230
}

TEST_CASE("does not count idle time of the data loader as late launches") {
  EventFixture events;
  step(events, 1, 0, 1000);
  const auto trace = events.op(kLoader, 0, 600)
                         .launch(700, 10, 1)
                         .kernel("gemm", 720, 200, 1)
                         .launch(930, 10, 2)
                         .kernel("gemm", 960, 40, 2)
                         .build();
  const TraceSummary summary = summary_of(*trace);
  const kino::Finding* loading = finding(summary, FindingKind::data_loading);
  const kino::Finding* late = finding(summary, FindingKind::launch_bound);
  REQUIRE(loading != nullptr);
  REQUIRE(late != nullptr);
  CHECK(loading->share == doctest::Approx(0.6));
  // Idle until the launches return at 710 and 940: 110 (without the loader's 600) and 20. Then follow gaps of
  // 10 and 20.
  CHECK(late->share == doctest::Approx(0.13));
  REQUIRE(finding(summary, FindingKind::launch_gaps) != nullptr);
  CHECK(finding(summary, FindingKind::launch_gaps)->share == doctest::Approx(0.03));
  CHECK(loading->won_ns == 600);
  CHECK(loading->share_of == "1 step");
}

TEST_CASE("does not report a launch as late while its thread waits for the GPU") {
  const auto built = [](const char* thread) {
    return EventFixture()
        .launch(0, 5, 1)
        .kernel("gemm", 10, 10, 1)
        .slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", 15, 905, thread)
        .launch(950, 10, 2)
        .kernel("gemm", 980, 40, 2)
        .build();
  };
  const auto same = built("1");
  const TraceSummary waiting = summary_of(*same);
  REQUIRE(finding(waiting, FindingKind::waiting) != nullptr);
  CHECK(finding(waiting, FindingKind::waiting)->won_ns == 900);
  CHECK(same->name_of(finding(waiting, FindingKind::waiting)->evidence()) == "cudaStreamSynchronize");
  REQUIRE(finding(waiting, FindingKind::launch_bound) != nullptr);
  CHECK(finding(waiting, FindingKind::launch_bound)->won_ns == 40);  // from the wait to the launch
  REQUIRE(finding(waiting, FindingKind::launch_gaps) != nullptr);
  CHECK(finding(waiting, FindingKind::launch_gaps)->won_ns == 20);
  // A wait on another thread, such as NCCL's, does not delay launches.
  const auto other = built("2");
  const TraceSummary summary = summary_of(*other);
  CHECK(finding(summary, FindingKind::waiting) == nullptr);
  REQUIRE(finding(summary, FindingKind::launch_bound) != nullptr);
  CHECK(finding(summary, FindingKind::launch_bound)->share == doctest::Approx(940.0 / 1010));
}

TEST_CASE("never reports a trace without kernels as launch-bound") {
  const auto built = [](const char* launch) {
    EventFixture events;
    for (std::int64_t i = 0; i < 20; ++i) {
      const auto id = static_cast<std::uint32_t>(2 * i + 1);
      events.op("aten::add", 1000 * i, 900);
      events.slice(TrackClass::cpu, "xpu_runtime", launch, 1000 * i + 100, 10, "1", id);
      events.slice(TrackClass::cpu, "xpu_runtime", "urEnqueueUSMMemcpy", 1000 * i + 200, 10, "1", id + 1);
      events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 1000 * i + 220, 10, "7", id + 1);
    }
    return events.build();
  };
  const TraceSummary lost = summary_of(*built("urEnqueueKernelLaunch"));
  CHECK(finding(lost, FindingKind::launch_bound) == nullptr);
  const kino::Table table =
      kino::summary_table(*built("urEnqueueKernelLaunch"), lost, kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  CHECK(std::ranges::find(items, "launches without GPU work") != items.end());
  // Without lost kernels, the host launches the same copies late.
  CHECK(finding(summary_of(*built("urKernelSetArg")), FindingKind::launch_bound) != nullptr);
}

TEST_CASE("bounds idle and busy shares if some launches lost their kernels") {
  // A graph is replayed four times without recorded kernels, beside eight recorded kernels.
  const auto built = [](bool graphs) {
    EventFixture events;
    for (std::uint32_t i = 0; i < 8; ++i) {
      events.op("aten::fill_", 1000 * i, 100).launch(1000 * i + 10, 10, i + 1);
      events.kernel("fill", 1000 * i + 50, 10, i + 1);
      if (graphs && i % 2 == 0)
        events.slice(TrackClass::cpu, "cuda_runtime", "hipGraphLaunch", 1000 * i + 500, 10, "1", 100 + i);
    }
    return events.build();
  };
  const auto text_of = [](const kino::Table& table, std::string_view item, std::string_view subject) {
    const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
    const auto& subjects = std::get<kino::TableColumn::Texts>(table.find("of")->values);
    const auto& texts = std::get<kino::TableColumn::Texts>(table.find("text")->values);
    for (std::size_t row = 0; row < items.size(); ++row) {
      if (items[row] == item && (subject.empty() || subjects[row] == subject)) return texts[row];
    }
    return std::string();
  };
  const auto lost = built(true);
  const TraceSummary summary = summary_of(*lost);
  const kino::Table table = kino::summary_table(*lost, summary, kino::ByteUnits::decimal);
  CHECK(text_of(table, "GPU idle", "") == "at most 98.9 %");
  CHECK(text_of(table, "GPU utilization", "") == "at least 1.1 %");
  CHECK(text_of(table, "time", kino::english(kino::shown_name(StepRole::idle))).starts_with("at most "));
  CHECK(text_of(table, "launches without GPU work", "") == "4 of 12 launches have no GPU work in the trace.");
  CHECK(finding(summary, FindingKind::launch_bound) == nullptr);
  const auto whole = built(false);
  const kino::Table known = kino::summary_table(*whole, summary_of(*whole), kino::ByteUnits::decimal);
  CHECK(text_of(known, "GPU idle", "") == "98.9 %");
}

TEST_CASE("reports no idle time if nothing is known") {
  EventFixture events;
  events.slice(TrackClass::cpu, "POSIX", "read", 0, 100, "1");
  events.slice(TrackClass::cpu, "POSIX", "write", 500, 100, "1");
  const auto trace = events.build();
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.findings.base.windows.empty());
  const kino::Table table = kino::summary_table(*trace, summary, kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  CHECK(std::ranges::find(items, "time") == items.end());
  CHECK(std::ranges::find(items, "steps") == items.end());
  constexpr std::string_view kSentence = "This trace contains no operators, runtime calls or GPU work";
  REQUIRE_FALSE(table.notes.empty());
  CHECK(table.notes.back().str().starts_with(kSentence));
  const auto profiled = EventFixture().op("aten::mm", 0, 60).build();
  for (const kino::Message& note :
       kino::summary_table(*profiled, summary_of(*profiled), kino::ByteUnits::decimal).notes)
    CHECK_FALSE(note.str().starts_with(kSentence));
}

TEST_CASE("reports no cost for a call that waits while the GPU works") {
  EventFixture events;
  step(events, 1, 0, 1000);
  events.op("aten::mm", 10, 50).launch(10, 10, 1).kernel("gemm", 20, 880, 1);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 300, 600, "1");
  events.op("aten::add", 900, 50).launch(901, 5, 2).kernel("add", 910, 90, 2);
  CHECK(finding(summary_of(*events.build()), FindingKind::waiting) == nullptr);
}

TEST_CASE("mentions no GPU if there is none") {
  EventFixture events;
  step(events, 1, 0, 1000);
  const auto trace = events.op(kLoader, 0, 600)
                         .op("aten::mm", 600, 100)
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 720, 200, "1")
                         .op("aten::mm", 950, 20)
                         .build();
  const TraceSummary summary = summary_of(*trace);
  REQUIRE(finding(summary, FindingKind::data_loading) != nullptr);
  for (const kino::Finding& it : summary.findings.list) {
    CHECK(it.sentence.str().find("GPU") == std::string::npos);
    CHECK(it.fix.str().find("GPU") == std::string::npos);
  }
}

TEST_CASE("counts slow work on two streams at the same time once") {
  EventFixture events;
  const auto copy = [&](std::int64_t at, std::int64_t duration_ns, const char* stream) {
    events.slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", at, duration_ns, stream)
        .told({{'y', "64"}});
  };
  for (int i = 0; i < 9; ++i) {
    copy(100 * i, 10, "7");
    copy(100 * i + 50, 10, "8");
  }
  copy(1000, 1010, "7");
  copy(1000, 1010, "8");
  const auto trace = events.build();
  const TraceSummary summary = summary_of(*trace);
  REQUIRE(finding(summary, FindingKind::outliers) != nullptr);
  CHECK(finding(summary, FindingKind::outliers)->share == doctest::Approx(1000.0 / 2010));
}

TEST_CASE("names devices other than GPUs correctly") {
  EventFixture events;
  for (int i = 0; i < 1200; ++i) events.kernel("fusion", 100 + 10 * i, 5);
  const auto trace = events.build();
  for (kino::Process& process : std::const_pointer_cast<Trace>(trace)->processes)
    if (process.gpu) process.title = "TPU 0";
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.base.text() == "the TPU window, from the first to the last TPU work");
  const kino::Table table = summary_table(*trace, summary, kino::ByteUnits::decimal);
  for (const char* column : {"item", "share_of", "text", "fix"}) {
    for (const std::string& text : std::get<kino::TableColumn::Texts>(table.find(column)->values)) {
      CAPTURE(text);
      CHECK(text.find("GPU") == std::string::npos);
      CHECK(text.find("graph") == std::string::npos);
    }
  }
}

TEST_CASE("has a base without operators if there are none") {
  EventFixture events;
  events.slice(TrackClass::cpu, "", "aten::zeros", 100, 50, "1");
  const TraceSummary summary = summary_of(*events.build());
  CHECK(summary.base.text() == "the trace, from the first to the last event");
}

TEST_CASE("reports missing Tensor Core use only if kernel names are clear") {
  const auto told = [](const char* kernel) {
    EventFixture events;
    events.op("aten::mm", 0, 10).launch(1, 2, 1).kernel(kernel, 100, 50, 1);
    const auto trace = events.build();
    std::const_pointer_cast<Trace>(trace)->job.device_names = {"NVIDIA A100-SXM4-40GB"};
    return finding(summary_of(*trace), FindingKind::no_tensor_cores) != nullptr;
  };
  CHECK(told("ampere_sgemm_128x64_nn"));
  CHECK_FALSE(told("_matmul_kernel"));
  CHECK_FALSE(told("ampere_bf16_s16816gemm_bf16_128x64"));
}

namespace {

/// Text of the summary's row with this item and, unless empty, this subject.
std::string summary_text(const Trace& trace, std::string_view item, std::string_view subject = {}) {
  const kino::Table table = kino::summary_table(trace, summary_of(trace), kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  const auto& subjects = std::get<kino::TableColumn::Texts>(table.find("of")->values);
  for (std::size_t row = 0; row < items.size(); ++row) {
    if (items[row] == item && (subject.empty() || subjects[row] == subject))
      return std::get<kino::TableColumn::Texts>(table.find("text")->values)[row];
  }
  return "no such row";
}

}  // namespace

TEST_CASE("reports unrecorded kinds as not recorded, not as 0 %") {
  const auto cpu = EventFixture().op("aten::mm", 0, 60).op("aten::add", 80, 20).build();
  for (const char* role : {"compute", "communication", "memcpy", "memset", "runtime"})
    CHECK(summary_text(*cpu, "time", role) == "not recorded");
  CHECK(summary_text(*cpu, "time", "cpu") == "80.0 %");
  const auto gpu = EventFixture().kernel("a", 0, 50).kernel("b", 90, 10).build();
  CHECK(summary_text(*gpu, "time", "compute") == "60.0 %");
  CHECK(summary_text(*gpu, "time", "memcpy") == "0.0 %");
  CHECK(summary_text(*gpu, "time", "runtime") == "not recorded");
  CHECK(summary_text(*gpu, "time", "cpu") == "not recorded");
  EventFixture copies;
  for (std::uint32_t i = 0; i < 20; ++i) copies.op("aten::mm", 100 * i, 50).launch(100 * i, 10, 100 + i);
  copies.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 0, 100, "7");
  CHECK(summary_text(*copies.build(), "time", "compute") == "not recorded");
}

TEST_CASE("bounds shares with implausible durations, or leaves them unknown") {
  const auto built = [](std::int64_t doubtful_ns) {
    EventFixture events;
    events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 10'000, "0");
    events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", 1'000, doubtful_ns, "7");
    events.kernel("a", 1'010, 20).kernel("b", 1'040, 20).kernel("c", 9'000, 1'000);
    return events.build();
  };
  CHECK(summary_text(*built(100), "GPU utilization") == "at most 11.6 %");
  CHECK(summary_text(*built(100), "GPU idle") == "at least 87.8 %");
  CHECK(summary_text(*built(8'900), "GPU utilization") == "unknown");
  CHECK(summary_text(*built(8'900), "GPU idle") == "unknown");
  CHECK(summary_text(*built(8'900), "time", "memcpy") == "unknown");
  CHECK(summary_of(*built(8'900)).findings.verdict.str().find("is busy") == std::string::npos);
}

TEST_CASE("names Matrix Cores on AMD devices") {
  EventFixture events;
  events.slice(TrackClass::cpu, "cuda_runtime", "hipLaunchKernel", 0, 5, "1", 1).kernel("a", 10, 50, 1);
  const auto trace = events.build();
  CHECK(summary_text(*trace, "Matrix Core share") != "no such row");
  CHECK(summary_text(*trace, "Tensor Core share") == "no such row");
}

TEST_CASE("bounds busy shares if graphs were recorded as a whole") {
  const auto built = [](const char* category) {
    EventFixture events;
    for (std::uint32_t i = 0; i < 50; ++i) {
      events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 1'000 * i, 10, "1", i + 1);
      events.slice(TrackClass::gpu, category, "CUDA graph 4", 1'000 * i + 20, 980, "7", i + 1);
    }
    return events.build();
  };
  const auto whole = built("cuda_graph");
  CHECK(summary_text(*whole, "GPU utilization") == "at most 98.0 %");
  CHECK(summary_text(*whole, "GPU idle") == "at least 2.0 %");
  CHECK(summary_text(*whole, "time", "compute") == "at most 98.0 %");
  CHECK(summary_text(*whole, "time", "memcpy") == "0.0 %");
  const std::string verdict = summary_of(*whole).findings.verdict.str();
  CHECK_MESSAGE(verdict.find("count as busy throughout") != std::string::npos, verdict);
  const auto kernels = built("kernel");
  CHECK(summary_text(*kernels, "GPU utilization") == "98.0 %");
  CHECK(summary_of(*kernels).findings.verdict.str().find("throughout") == std::string::npos);
  const kino::RangeAnalysis all(*whole, kino::whole_range(*whole));
  CHECK(kino::table_of(kino::kGpuMetricsTable, all).notes.back() ==
        "Graphs recorded as a whole count as busy throughout. Idle times are lower bounds, and busy shares "
        "are upper bounds.");
}

TEST_CASE("reports the kernel time with unknown Tensor Core use") {
  const auto text = [](std::int64_t unclear_ns) {
    return summary_text(
        *EventFixture().kernel("volta_sgemm_128x64_nn", 0, 90).kernel("triton_", 100, unclear_ns).build(),
        "Tensor Core share");
  };
  CHECK(text(10) == "0.0 % (unknown for 10.0 % of kernel time)");
  CHECK(text(110) == "unknown");
}

TEST_CASE("distinguishes copies, memsets and whole graphs from top kernels") {
  EventFixture events;
  events.kernel("gemm", 0, 10).slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 20, 50, "7");
  events.slice(TrackClass::gpu, "cuda_graph", "CUDA graph 5", 100, 30, "7");
  events.slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 140, 20, "7");
  const auto trace = events.build();
  const kino::Table table = kino::summary_table(*trace, summary_of(*trace), kino::ByteUnits::decimal);
  const auto& items = std::get<kino::TableColumn::Texts>(table.find("item")->values);
  const auto& of = std::get<kino::TableColumn::Texts>(table.find("of")->values);
  std::vector<std::string> top;
  for (std::size_t row = 0; row < items.size(); ++row) {
    if (items[row].starts_with("top ")) top.push_back(items[row] + ": " + of[row]);
  }
  CHECK(top == std::vector<std::string>{"top copy: Memcpy HtoD", "top graph: CUDA graph 5",
                                        "top memset: Memset (Device)", "top kernel: gemm"});
  CHECK(summary_text(*trace, "time", "no operator or runtime call") == "not recorded");
}

TEST_CASE("has no bound of 0.0 % for a share that rounds to nothing") {
  const auto trace = EventFixture().op("aten::mm", 0, 10).kernel("gemm", 0, 10).build();
  kino::LaunchCounts counts;
  counts.gpu_work = counts.kernels = 10;
  kino::LaunchTally& kernels = counts.by_kind[static_cast<std::size_t>(kino::LaunchKind::kernel)];
  kernels.with_work.count = kernels.without_work.count = 10;
  const std::vector<TimeRange> windows{{0, 10}};
  const kino::KnownShares known(*trace, counts, {}, windows);
  CHECK(known.idle(0.5).text == "at most 50.0 %");
  CHECK(known.idle(0).text.empty());
  CHECK(known.idle(0.0001).text.empty());
  CHECK(known.busy(0.5).text == "at least 50.0 %");
  CHECK(std::isnan(known.busy(0).value));
}

TEST_CASE("names both shares of data loading if the finding's share differs") {
  EventFixture events;
  step(events, 1, 0, 100).op(kLoader, 0, 40);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaEventQuery", 20, 10, "2");  // 10 ns in the role
  events.launch(0, 1, 1, "3").kernel("a", 0, 20, 1).launch(41, 2, 2).kernel("b", 45, 55, 2);
  const auto trace = events.build();
  CHECK(summary_text(*trace, "time", "data_loading") ==
        "10.0 % outside of calls (the GPU waits for data 20.0 % of the time)");
}
