#include "core/gpu/trust_report.hpp"

#include "tests/fixtures/event_fixture.hpp"

using kino::EventFixture;
using kino::kNoSlice;
using kino::slice_named;
using kino::trust_report;
using kino::TrustFinding;
using kino::TrustLine;
using kino::TrustReport;

namespace {

TrustLine line_of(const TrustReport& report, TrustFinding finding) {
  for (const TrustLine& line : report.lines) {
    if (line.finding == finding) return line;
  }
  return {};
}

}  // namespace

TEST_CASE("a trace in which everything belongs together has nothing to report") {
  EventFixture events;
  events.op("step", 0, 100).launch(10, 5, 1).kernel("gemm", 20, 30, 1);
  const auto trace = events.build();
  const TrustReport report = trust_report(*trace);
  CHECK(report.lines.empty());
  CHECK(report.covered_gpu_time() == 1.0);
  CHECK(report.covered_launches() == 1.0);
}

TEST_CASE(
    "work without launch, launches without work and kernels before their launch are found with their time") {
  EventFixture events;
  events.op("step", 0, 1000).launch(100, 5, 1).launch(200, 5, 2).launch(300, 5, 3);
  events.kernel("lost launch", 10, 60, 0).kernel("early", 90, 20, 1).kernel("fine", 400, 20, 2);
  events.kernel("lost too", 500, 40, 77);
  const auto trace = events.build();
  const TrustReport report = trust_report(*trace);
  const TrustLine orphans = line_of(report, TrustFinding::gpu_work_without_launch);
  CHECK(orphans.count == 2);
  CHECK(orphans.of == 4);
  CHECK(orphans.duration_ns == 100);
  CHECK(orphans.first == slice_named(*trace, "lost launch"));
  const TrustLine early = line_of(report, TrustFinding::start_before_launch);
  CHECK(early.count == 1);
  CHECK(early.duration_ns == 10);
  CHECK(early.first == slice_named(*trace, "early"));
  const TrustLine lost = line_of(report, TrustFinding::launch_without_gpu_work);
  CHECK(lost.count == 1);
  CHECK(lost.of == 3);
  CHECK(lost.first == slice_named(*trace, "cudaLaunchKernel", 2));
  CHECK(*report.covered_gpu_time() == doctest::Approx(40.0 / 140));
  CHECK(*report.covered_launches() == doctest::Approx(2.0 / 3));
}

TEST_CASE("a CPU-only trace does not miss GPU work") {
  EventFixture events;
  events.op("step", 0, 100).launch(10, 5, 1);
  const auto trace = events.build();
  CHECK(trust_report(*trace).lines.empty());
}

TEST_CASE("steps without GPU work count when others have some, and collectives want a rank") {
  EventFixture events;
  events.op("ProfilerStep#1", 0, 100).op("ProfilerStep#2", 100, 100);
  events.launch(10, 5, 1).kernel("ncclKernel_AllReduce", 20, 30, 1);
  const auto trace = events.build();
  const TrustReport report = trust_report(*trace);
  const TrustLine steps = line_of(report, TrustFinding::step_without_gpu_work);
  CHECK(steps.count == 1);
  CHECK(steps.of == 2);
  CHECK(steps.first == slice_named(*trace, "ProfilerStep#2"));
  CHECK(line_of(report, TrustFinding::no_rank).count == 1);
}

TEST_CASE("overlaps of a stream and of a thread are told apart") {
  EventFixture events;
  events.op("a", 0, 100).op("b", 50, 100).launch(0, 1, 1, "2").launch(2, 1, 2, "2");
  events.kernel("x", 10, 50, 1).kernel("y", 30, 50, 2);
  const auto trace = events.build();
  const TrustReport report = trust_report(*trace);
  CHECK(line_of(report, TrustFinding::stream_overlap).first == slice_named(*trace, "y"));
  CHECK(line_of(report, TrustFinding::thread_overlap).first == slice_named(*trace, "b"));
}

TEST_CASE("which calls start GPU work") {
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx",
                           "cudaMemcpyAsync", "cudaMemsetAsync", "hipLaunchKernel", "hipExtLaunchKernel",
                           "hipModuleLaunchKernel", "hipMemcpyAsync", "cudaGraphLaunch", "hipGraphLaunch"}) {
    CAPTURE(name);
    CHECK(kino::starts_gpu_work(name));
  }
  for (const char* name : {"cudaDeviceSynchronize", "cudaMalloc", "cudaLaunchHostFunc", "cudaMemcpyToSymbolX",
                           "aten::cudaLaunch", "cudaStreamIsCapturing", "custom"}) {
    CAPTURE(name);
    CHECK_FALSE(kino::starts_gpu_work(name));
  }
  CHECK(kino::launches_graph("cudaGraphLaunch_v10000"));
}

TEST_CASE("times whose sum is beyond 64 bits stay at their end") {
  EventFixture events;
  constexpr std::int64_t kLong = INT64_MAX / 2;
  for (int i = 0; i < 3; ++i) events.kernel("endless", i, kLong, 0);
  const auto trace = events.build();
  const TrustReport report = trust_report(*trace);
  CHECK(report.gpu_work == 3);
  CHECK(report.gpu_work_ns == INT64_MAX);
  CHECK(line_of(report, TrustFinding::gpu_work_without_launch).duration_ns == INT64_MAX);
  CHECK(report.covered_gpu_time() == 0.0);
}
