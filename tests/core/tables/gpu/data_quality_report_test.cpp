// Covers: data_quality_report
#include "core/tables/gpu/data_quality_report.hpp"

#include <string>
#include <string_view>

#include "tests/fixtures/event_fixture.hpp"

using kino::data_quality_report;
using kino::DataQualityLine;
using kino::DataQualityReport;
using kino::EventFixture;
using kino::kNoSlice;
using kino::QualityFinding;
using kino::slice_named;
using kino::TrackClass;

namespace {

DataQualityLine line_of(const DataQualityReport& report, QualityFinding finding) {
  for (const DataQualityLine& line : report.lines) {
    if (line.finding == finding) return line;
  }
  return {};
}

}  // namespace

TEST_CASE("reports nothing if all events belong together") {
  EventFixture events;
  events.op("step", 0, 100).launch(10, 5, 1).kernel("gemm", 20, 30, 1);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  CHECK(report.lines.empty());
  CHECK(report.covered_gpu_time() == 1.0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE("finds work without launch, launches without work and early kernels, with their time") {
  EventFixture events;
  events.op("step", 0, 1000).launch(100, 5, 1).launch(200, 5, 2).launch(300, 5, 3);
  events.kernel("lost launch", 10, 60, 0).kernel("early", 90, 20, 1).kernel("fine", 400, 20, 2);
  events.kernel("lost too", 500, 40, 77);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  const DataQualityLine orphans = line_of(report, QualityFinding::gpu_work_without_launch);
  CHECK(orphans.count == 2);
  CHECK(orphans.of == 4);
  CHECK(orphans.duration_ns == 100);
  CHECK(orphans.first == slice_named(*trace, "lost launch"));
  const DataQualityLine early = line_of(report, QualityFinding::start_before_launch);
  CHECK(early.count == 1);
  CHECK(early.duration_ns == 10);
  CHECK(early.first == slice_named(*trace, "early"));
  const DataQualityLine lost = line_of(report, QualityFinding::launch_without_gpu_work);
  CHECK(lost.count == 1);
  CHECK(lost.of == 3);
  CHECK(lost.first == slice_named(*trace, "cudaLaunchKernel", 2));
  CHECK(*report.covered_gpu_time() == doctest::Approx(40.0 / 140));
  CHECK(*report.covered_launches() == doctest::Approx(2.0 / 3));
}

TEST_CASE("reports a missing GPU side if there are launches, but not for CPU-only traces") {
  EventFixture events;
  events.op("step", 0, 100);
  CHECK(data_quality_report(*events.build()).lines.empty());
  events.op("step", 0, 100).launch(10, 5, 1).launch(20, 5, 2);
  const DataQualityReport report = data_quality_report(*events.build());
  const DataQualityLine missing = line_of(report, QualityFinding::gpu_side_missing);
  CHECK(missing.count == 2);
  CHECK(missing.of == 2);
  CHECK(line_of(report, QualityFinding::launch_without_gpu_work).count == 0);
  CHECK(report.covered_launches() == 0.0);
}

TEST_CASE("distinguishes missing kernels from lost ones, even if copies were recorded") {
  EventFixture events;
  events.slice(TrackClass::cpu, "xpu_runtime", "urEnqueueKernelLaunch", 0, 5, "1", 1);
  events.slice(TrackClass::cpu, "xpu_runtime", "urEnqueueUSMMemcpy", 10, 5, "1", 2);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 20, 5, "1", 2);
  const DataQualityReport report = data_quality_report(*events.build());
  CHECK(line_of(report, QualityFinding::kernels_missing).count == 1);
  CHECK(line_of(report, QualityFinding::kernels_missing).of == 2);
  CHECK(report.covered_launches() == 0.5);
}

TEST_CASE("distinguishes captured launches, unknown calls and a missing CPU side") {
  EventFixture events;
  events.kernel("gemm", 50, 10);
  CHECK(data_quality_report(*events.build()).launch_side == kino::LaunchSide::none);
  events.kernel("gemm", 50, 10).op("aten::mm", 0, 100);
  CHECK(data_quality_report(*events.build()).launch_side == kino::LaunchSide::unknown);
  events.kernel("gemm", 50, 10).slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 0, 5, "1");
  events.launch(10, 5, 1);
  CHECK(data_quality_report(*events.build()).launch_side == kino::LaunchSide::captured);
  events.launch(10, 5, 1).kernel("gemm", 50, 10, 1);
  CHECK(data_quality_report(*events.build()).launch_side == kino::LaunchSide::counted);
}

TEST_CASE("reports a memset without GPU work separately from lost launches") {
  EventFixture events;
  events.launch(0, 5, 1).kernel("gemm", 10, 10, 1);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaMemsetAsync", 20, 1, "1", 2);
  const DataQualityReport report = data_quality_report(*events.build());
  CHECK(line_of(report, QualityFinding::transfer_without_gpu_work).count == 1);
  CHECK(line_of(report, QualityFinding::transfer_without_gpu_work).of == 1);
  CHECK(line_of(report, QualityFinding::launch_without_gpu_work).count == 0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE("does not report captured launches as lost") {
  EventFixture events;
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 0, 5, "1");
  events.launch(10, 5, 1).launch(20, 5, 2);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamEndCapture", 30, 5, "1");
  events.launch(40, 5, 3).kernel("gemm", 50, 10, 3);
  const DataQualityReport report = data_quality_report(*events.build());
  CHECK(line_of(report, QualityFinding::captured_launch).count == 2);
  CHECK(line_of(report, QualityFinding::launch_without_gpu_work).count == 0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE("distinguishes steps with lost GPU work from steps without launches") {
  EventFixture events;
  for (int i = 1; i <= 5; ++i) events.op("ProfilerStep#" + std::to_string(i), (i - 1) * 100, 100);
  events.launch(10, 5, 1).kernel("gemm", 20, 30, 1);
  // The second step launches a kernel that was lost; the third step launches nothing.
  events.launch(110, 5, 2);
  // A captured launch runs nothing, and a memset may have zero bytes.
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamBeginCapture", 310, 5, "1");
  events.launch(320, 5, 3);
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaStreamEndCapture", 330, 5, "1");
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaMemsetAsync", 410, 5, "1", 4);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  const DataQualityLine lost = line_of(report, QualityFinding::step_without_gpu_work);
  CHECK(lost.count == 1);
  CHECK(lost.of == 5);
  CHECK(lost.first == slice_named(*trace, "ProfilerStep#2"));
  const DataQualityLine empty = line_of(report, QualityFinding::step_without_launch);
  CHECK(empty.count == 3);
  CHECK(empty.of == 5);
  CHECK(empty.first == slice_named(*trace, "ProfilerStep#3"));
  CHECK(kino::english(kino::text_of(QualityFinding::step_without_launch, 1)) ==
        "step that launches no GPU work");
}

TEST_CASE("reports steps without launches if others have some, and a missing rank") {
  EventFixture events;
  events.op("ProfilerStep#1", 0, 100).op("ProfilerStep#2", 100, 100);
  events.launch(10, 5, 1).kernel("ncclKernel_AllReduce", 20, 30, 1);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  const DataQualityLine steps = line_of(report, QualityFinding::step_without_launch);
  CHECK(steps.count == 1);
  CHECK(steps.of == 2);
  CHECK(steps.first == slice_named(*trace, "ProfilerStep#2"));
  CHECK(line_of(report, QualityFinding::step_without_gpu_work).count == 0);
  CHECK(line_of(report, QualityFinding::no_rank).count == 1);
}

TEST_CASE("distinguishes overlaps of streams and of threads") {
  EventFixture events;
  events.op("a", 0, 100).op("b", 50, 100).launch(0, 1, 1, "2").launch(2, 1, 2, "2");
  events.kernel("x", 10, 50, 1).kernel("y", 30, 50, 2);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  CHECK(line_of(report, QualityFinding::stream_overlap).first == slice_named(*trace, "y"));
  CHECK(line_of(report, QualityFinding::thread_overlap).first == slice_named(*trace, "b"));
}

TEST_CASE("saturates sums of times") {
  EventFixture events;
  constexpr std::int64_t kLong = INT64_MAX / 2;
  for (int i = 0; i < 3; ++i) events.kernel("endless", i, kLong, 0);
  const auto trace = events.build();
  const DataQualityReport report = data_quality_report(*trace);
  CHECK(report.gpu_work == 3);
  CHECK(report.gpu_work_ns == INT64_MAX);
  CHECK(line_of(report, QualityFinding::gpu_work_without_launch).duration_ns == INT64_MAX);
  CHECK(report.covered_gpu_time() == 0.0);
}

TEST_CASE("excludes work that outlasts the recording from the covered share") {
  EventFixture events;
  events.slice(kino::TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 1'000, "0");
  events.launch(10, 5, 1).kernel("a", 20, 100, 1);
  events.slice(kino::TrackClass::gpu, "gpu_memset", "Memset", 200, 1'000'000, "7");
  CHECK(data_quality_report(*events.build()).covered_gpu_time() == 1.0);
}

TEST_CASE("names only possible causes, and uses the singular for one case") {
  EventFixture nvidia;
  nvidia.launch(0, 5, 1).kernel("a", 10, 50, 1).kernel("b", 40, 50);
  const auto with_launches = nvidia.build();
  const DataQualityReport cuda = data_quality_report(*with_launches);
  CHECK(kino::english(kino::meaning_of(QualityFinding::stream_overlap, cuda)).find("programmatic") !=
        std::string_view::npos);
  CHECK(kino::english(kino::meaning_of(QualityFinding::gpu_work_without_launch, cuda))
            .find("before the recording") != std::string_view::npos);
  const auto without = EventFixture().kernel("a", 10, 50).kernel("b", 40, 50).build();
  const DataQualityReport other = data_quality_report(*without);
  CHECK(kino::english(kino::meaning_of(QualityFinding::stream_overlap, other)).find("programmatic") ==
        std::string_view::npos);
  CHECK(kino::english(kino::meaning_of(QualityFinding::gpu_work_without_launch, other)) ==
        "no call in the trace is known to launch this work, so tables by operator exclude it");
  CHECK(kino::english(kino::text_of(QualityFinding::graph_launch, 1)) == "launch of a graph");
  CHECK(kino::english(kino::text_of(QualityFinding::step_without_gpu_work, 1)) == "step without GPU work");
  CHECK(kino::english(kino::text_of(QualityFinding::graph_launch, 2)) == "launches of graphs");
}
