// The summary: one base for all shares, and sentences that count an instant once and fit the trace.
#include "core/analysis/trace_summary.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/analysis/range_analysis.hpp"
#include "core/gpu/gpu_waits.hpp"
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
  return kino::summarize_trace(RangeAnalysis(trace, kino::whole_range(trace)));
}

const kino::Finding* finding(const TraceSummary& summary, FindingKind kind) {
  const auto found = std::find_if(summary.findings.begin(), summary.findings.end(),
                                  [&](const kino::Finding& it) { return it.kind == kind; });
  return found == summary.findings.end() ? nullptr : &*found;
}

EventFixture& step(EventFixture& events, int number, std::int64_t start_ns, std::int64_t duration_ns) {
  return events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(number), start_ns,
                      duration_ns, "1");
}

/// Two steps whose work runs late, and work before and after them.
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

TEST_CASE("all shares of a summary are of the complete steps with what they launched, and add up") {
  const auto trace = steps_with_late_work();
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.base.kind == TimeBase::Kind::steps);
  CHECK(summary.base.window == TimeRange{100, 400});
  CHECK(summary.base.brief() == "2 complete steps");
  CHECK(summary.split.window == summary.base.window);
  CHECK(summary.split[StepRole::compute] == 160);
  CHECK(summary.split[StepRole::communication] == 50);
  CHECK(summary.split[StepRole::memcpy] == 20);
  REQUIRE(summary.metrics.size() == 1);
  CHECK(summary.metrics[0].utilization == doctest::Approx(210.0 / 300));
  const kino::Table table = kino::summary_table(*trace, summary);
  const auto texts = [&](const char* key) -> const kino::TableColumn::Texts& {
    return std::get<kino::TableColumn::Texts>(table.find(key)->values);
  };
  const auto& values = std::get<kino::TableColumn::Numbers>(table.find("value")->values);
  double whole = 0;
  double gpu = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string& item = texts("item")[row];
    if (item == "time") whole += values[row];
    if (item == "GPU idle") gpu += values[row];
    const bool on_gpu = item == "time" && row > 0 &&
                        (texts("of")[row] == "compute" || texts("of")[row] == "communication" ||
                         texts("of")[row] == "memcpy" || texts("of")[row] == "memset");
    if (on_gpu) gpu += values[row];
    if (item == "mean step") CHECK(values[row] == 100);  // as marked
    if (item == "time" || item == "GPU idle" || item == "GPU utilisation" || item == "SM efficiency")
      CHECK(texts("share_of")[row] == "2 complete steps");
  }
  CHECK(whole == doctest::Approx(1));
  CHECK(gpu == doctest::Approx(1));
}

TEST_CASE("without steps the base is the GPU's own window, and without a GPU the operators'") {
  const auto on_gpu =
      EventFixture().op("a", 0, 50).launch(10, 5, 1).kernel("k", 100, 30, 1).kernel("k", 150, 50).build();
  const TraceSummary gpu = summary_of(*on_gpu);
  CHECK(gpu.base.kind == TimeBase::Kind::gpu_window);
  CHECK(gpu.base.window == TimeRange{100, 200});
  CHECK(gpu.split[StepRole::compute] == 80);
  CHECK(gpu.metrics.at(0).utilization == doctest::Approx(0.8));
  const auto on_cpu = EventFixture().op("a", 0, 50).op("b", 80, 20).build();
  const TraceSummary cpu = summary_of(*on_cpu);
  CHECK(cpu.base.kind == TimeBase::Kind::trace);
  CHECK(cpu.base.window == TimeRange{0, 100});
  CHECK(cpu.split[StepRole::cpu] == 70);
}

TEST_CASE("the base of a range is the range, and of a step the step with what it launched") {
  const auto trace = steps_with_late_work();
  const kino::RangeAnalyses analyses(*trace);
  const auto range = analyses.of({120, 260});
  CHECK(range->base().window == TimeRange{120, 260});
  const auto part = kino::summarize_trace(*range);
  CHECK(part.split.window == TimeRange{120, 260});
  CHECK(part.split[StepRole::compute] == 100);
  const auto one = analyses.of_step(range->steps().at(1), 1);
  CHECK(one->base().brief() == "step 2");
  CHECK(one->base().window == TimeRange{300, 400});  // from the end of the GPU work of the step before
  CHECK(kino::summarize_trace(*one).split[StepRole::compute] == 60);
}

TEST_CASE("idle time for which the data loader is to blame is not the launches' as well") {
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
  CHECK(late->share == doctest::Approx(0.16));  // 720 + 40 of idle time, without the loader's 600
  CHECK(loading->sentence.find("1 complete step") != std::string::npos);
  CHECK(loading->base == "1 complete step");
}

TEST_CASE("while the launching thread waits for the GPU it is not late") {
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
  CHECK(finding(summary_of(*same), FindingKind::launch_bound) == nullptr);
  CHECK(finding(summary_of(*same), FindingKind::waiting) != nullptr);
  // What waits elsewhere, as a thread of NCCL's, keeps no one from launching.
  const auto other = built("2");
  const TraceSummary summary = summary_of(*other);
  REQUIRE(finding(summary, FindingKind::launch_bound) != nullptr);
  CHECK(finding(summary, FindingKind::launch_bound)->share == doctest::Approx(960.0 / 1010));
}

TEST_CASE("the synchronisation that ends a recording is no wait of the program's") {
  const auto built = [](bool more) {
    EventFixture events;
    step(events, 1, 0, 400);
    events.op("aten::mm", 10, 50).launch(20, 10, 1).kernel("gemm", 100, 800, 1);
    events.slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 300, 600, "1");
    if (more) events.op("aten::add", 900, 5);
    return events.build();
  };
  CHECK(finding(summary_of(*built(false)), FindingKind::waiting) == nullptr);
  const TraceSummary summary = summary_of(*built(true));
  REQUIRE(finding(summary, FindingKind::waiting) != nullptr);
  CHECK(finding(summary, FindingKind::waiting)->share == doctest::Approx(600.0 / 900));
  // The last .item() of a program is the program's.
  const auto item = EventFixture()
                        .op("aten::mm", 0, 50)
                        .launch(20, 10, 1)
                        .kernel("gemm", 100, 800, 1)
                        .op("aten::item", 60, 850)
                        .slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", 70, 835, "1")
                        .build();
  CHECK(finding(summary_of(*item), FindingKind::waiting) != nullptr);
}

TEST_CASE("several threads that wait at once wait once") {
  const auto trace = EventFixture()
                         .launch(0, 5, 1)
                         .kernel("gemm", 0, 1000, 1)
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaEventSynchronize", 100, 400, "2")
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaEventSynchronize", 200, 400, "3")
                         .op("aten::add", 950, 5)
                         .build();
  const TraceSummary summary = summary_of(*trace);
  REQUIRE(finding(summary, FindingKind::waiting) != nullptr);
  CHECK(finding(summary, FindingKind::waiting)->share == doctest::Approx(0.5));
  CHECK(finding(summary, FindingKind::waiting)->sentence.find("2 calls") != std::string::npos);
}

TEST_CASE("no sentence speaks of a GPU where there is none") {
  EventFixture events;
  step(events, 1, 0, 1000);
  const auto trace = events.op(kLoader, 0, 600)
                         .op("aten::mm", 600, 100)
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 720, 200, "1")
                         .op("aten::mm", 950, 20)
                         .build();
  const TraceSummary summary = summary_of(*trace);
  REQUIRE(finding(summary, FindingKind::data_loading) != nullptr);
  for (const kino::Finding& it : summary.findings) CHECK(it.sentence.find("GPU") == std::string::npos);
}

TEST_CASE("work that took long at one time on two streams is lost once") {
  EventFixture events;
  for (int i = 0; i < 9; ++i) {
    events.kernel("a", 100 * i, 10, 0, "7").kernel("b", 100 * i + 50, 10, 0, "8");
  }
  const auto trace = events.kernel("a", 1000, 1010, 0, "7").kernel("b", 1000, 1010, 0, "8").build();
  const TraceSummary summary = summary_of(*trace);
  REQUIRE(finding(summary, FindingKind::outliers) != nullptr);
  CHECK(finding(summary, FindingKind::outliers)->share == doctest::Approx(1000.0 / 2010));
}

TEST_CASE("waits are those of the outermost calls, by thread") {
  const auto trace = EventFixture()
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 0, 100, "1")
                         .slice(TrackClass::cpu, "cuda_driver", "cuCtxSynchronize", 10, 80, "1")
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaMemcpy", 200, 10, "1")
                         .slice(TrackClass::cpu, "cuda_runtime", "cudaStreamSynchronize", 50, 10, "2")
                         .op("aten::add", 300, 5)
                         .build();
  const auto waits = kino::gpu_waits(*trace, {40, 1000});
  REQUIRE(waits.size() == 3);
  CHECK(waits[0].time == TimeRange{40, 100});
  CHECK(waits[1].time == TimeRange{200, 210});
  CHECK(waits[2].time == TimeRange{50, 60});
  for (const kino::GpuWait& wait : waits) CHECK_FALSE(wait.at_the_end);
}

TEST_CASE("a device that is no GPU is not called one") {
  EventFixture events;
  for (int i = 0; i < 1200; ++i) events.kernel("fusion", 100 + 10 * i, 5);
  const auto trace = events.build();
  for (kino::Process& process : std::const_pointer_cast<Trace>(trace)->processes)
    if (process.gpu) process.title = "TPU 0";
  const TraceSummary summary = summary_of(*trace);
  CHECK(summary.base.text() == "the TPU's window, from the first TPU work to the last");
  const kino::Table table = summary_table(*trace, summary);
  for (const char* column : {"item", "share_of", "text"}) {
    for (const std::string& text : std::get<kino::TableColumn::Texts>(table.find(column)->values)) {
      CAPTURE(text);
      CHECK(text.find("GPU") == std::string::npos);
      CHECK(text.find("graph") == std::string::npos);
    }
  }
}

TEST_CASE("a trace in which no operator is known has a base that does not speak of operators") {
  EventFixture events;
  events.slice(TrackClass::cpu, "", "aten::zeros", 100, 50, "1");
  const TraceSummary summary = summary_of(*events.build());
  CHECK(summary.base.text() ==
        "the trace, from the first event to the last; none is known to be an operator");
}

TEST_CASE("that no kernel uses Tensor Cores is said only where their names tell") {
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
