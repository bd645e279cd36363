// Covers: launch_calls, launch_table, graph_table
#include "core/trace/links/launch_calls.hpp"

#include <doctest/doctest.h>

#include "core/tables/analysis/trace_tables.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/name_stats/graph_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::count_launches;
using kino::DeviceApi;
using kino::EventFixture;
using kino::launch_kind;
using kino::LaunchCounts;
using kino::LaunchKind;
using kino::slice_named;
using kino::Trace;
using kino::TrackClass;

namespace {

LaunchCounts counted(const Trace& trace) { return count_launches(trace, kino::whole_range(trace)); }

/// A call of one name on a thread.
EventFixture& call(EventFixture& events, const char* name, std::int64_t start_ns, const char* thread = "1",
                   std::uint32_t correlation = 0, const char* category = "cuda_runtime",
                   std::int64_t duration_ns = 5) {
  return events.slice(TrackClass::cpu, category, name, start_ns, duration_ns, thread, correlation);
}

}  // namespace

TEST_CASE("calls of every maker that launch kernels, copies and graphs are launches") {
  for (const char* name : {"cudaLaunchKernel",
                           "cudaLaunchKernelExC",
                           "cudaLaunchKernel_v7000",
                           "cuLaunchKernel",
                           "cuLaunchKernelEx",
                           "cudaLaunchCooperativeKernel",
                           "hipLaunchKernel",
                           "hipExtLaunchKernel",
                           "hipModuleLaunchKernel",
                           "hipExtModuleLaunchKernel",
                           "musaLaunchKernel",
                           "muLaunchKernel",
                           "aclrtLaunchKernel",
                           "topsLaunchKernel",
                           "urEnqueueKernelLaunch",
                           "urEnqueueKernelLaunchWithArgsExp",
                           "urEnqueueCooperativeKernelLaunchExp",
                           "piEnqueueKernelLaunch",
                           "zeCommandListAppendLaunchKernel",
                           "zeCommandListAppendLaunchKernelWithArguments",
                           "runFunction - job_prep_and_submit_for_execution"}) {
    CAPTURE(name);
    CHECK(launch_kind(name) == LaunchKind::kernel);
  }
  for (const char* name :
       {"cudaMemcpyAsync", "cudaMemsetAsync", "cuMemcpyHtoDAsync_v2", "cuMemsetD32Async", "hipMemcpyAsync",
        "musaMemcpyAsync", "aclrtMemcpyAsync", "urEnqueueUSMMemcpy", "urEnqueueUSMFill",
        "urEnqueueMemBufferRead", "piextUSMEnqueueMemcpy", "zeCommandListAppendMemoryCopy",
        "zeCommandListAppendMemoryFill", "enqueueCommand memcpyHtoDAsync"}) {
    CAPTURE(name);
    CHECK(launch_kind(name) == LaunchKind::transfer);
  }
  for (const char* name : {"cudaGraphLaunch", "cudaGraphLaunch_v10000", "cuGraphLaunch", "hipGraphLaunch",
                           "musaGraphLaunch", "urEnqueueCommandBufferExp"}) {
    CAPTURE(name);
    CHECK(launch_kind(name) == LaunchKind::graph);
  }
}

TEST_CASE("calls that wait, allocate, query, or run a host function are not launches") {
  for (const char* name :
       {"cudaDeviceSynchronize", "cudaMalloc", "cudaMallocAsync", "cudaLaunchHostFunc", "hipLaunchHostFunc",
        "cudaMemcpyToSymbolX", "aten::cudaLaunch", "cudaStreamIsCapturing", "cudaGraphInstantiate", "custom",
        "Launch", "launch", "urEnqueueEventsWait", "urEnqueueUSMPrefetch", "zeCommandListAppendBarrier",
        "zeCommandQueueExecuteCommandLists", "enqueueCommand waitOnEvent", "recordEvent", ""}) {
    CAPTURE(name);
    CHECK(launch_kind(name) == LaunchKind::none);
  }
}

TEST_CASE("a CPU sample, an operator and a Python function named like a launch are not launches") {
  EventFixture events;
  events.launch(0, 5, 1).kernel("gemm", 10, 5, 1);
  for (const char* category : {"cpu_sample", "cpu_op", "python_function", "user_annotation", ""})
    call(events, "cudaLaunchKernel", 100, category, 0, category);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.calls.count == 1);
  CHECK(counts.all.with_work.count == 1);
  CHECK(counts.all.covered() == 1.0);
}

TEST_CASE("a call with another name is a launch if its work was recorded") {
  EventFixture events;
  call(events, "hipMemcpyWithStream", 0, "1", 1);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", 10, 5, "7", 1);
  call(events, "hipMemcpyWithStream", 20, "1", 2);  // no indication that it started something
  call(events, "acme_run", 30, "1", 3, "privateuse1_driver");
  events.kernel("gemm", 40, 5, 3);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.calls.count == 2);
  CHECK(counts.of(LaunchKind::transfer).with_work.count == 1);
  CHECK(counts.of(LaunchKind::kernel).with_work.count == 1);
  CHECK(counts.of(DeviceApi::hip).calls.count == 1);
  CHECK(counts.of(DeviceApi::other).calls.count == 1);
}

TEST_CASE("runtime and driver calls of all devices count, with their interface") {
  for (const char* category : {"xpu_runtime", "xpu_driver", "privateuse1_runtime", "privateuse1_driver",
                               "mtia_runtime", "musa_runtime", "hip_runtime", "cuda_driver"}) {
    EventFixture events;
    call(events, "musaLaunchKernel", 0, "1", 1, category);
    CAPTURE(category);
    const LaunchCounts counts = counted(*events.build());
    CHECK(counts.all.without_work.count == 1);
    CHECK(counts.missing(DeviceApi::musa));
    CHECK(counts.gpu_side_missing());
  }
}

TEST_CASE(
    "the driver's call within the runtime's launch is the same launch, whichever of them has the work") {
  EventFixture events;
  call(events, "urEnqueueKernelLaunch", 0, "1", 1, "xpu_runtime", 100);
  call(events, "zeCommandListAppendLaunchKernel", 10, "1", 2, "xpu_driver", 50);
  events.kernel("gemm", 200, 5, 2);
  call(events, "urEnqueueKernelLaunch", 300, "1", 3, "xpu_runtime", 100);
  call(events, "zeCommandListAppendLaunchKernel", 310, "1", 4, "xpu_driver", 50);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.calls.count == 2);
  CHECK(counts.all.with_work.count == 1);
  CHECK(counts.all.without_work.count == 1);
  CHECK(counts.all.without_work.duration_ns == 100);
}

TEST_CASE("a launch that was written twice, nested, is one; a memset within it is another") {
  EventFixture events;
  call(events, "cudaLaunchKernel", 0, "1", 1, "cuda_runtime", 100);
  call(events, "cudaLaunchKernel", 1, "1", 2, "cuda_runtime", 98);
  call(events, "cudaMemsetAsync", 10, "1", 0, "cuda_runtime", 50);
  events.kernel("gemm", 200, 10, 2);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.calls.count == 2);
  CHECK(counts.of(LaunchKind::kernel).with_work.count == 1);
  CHECK(counts.of(LaunchKind::transfer).transfers_without_work.count == 1);
}

TEST_CASE("a memset or copy without GPU work may be empty, so it is not lost and does not lower coverage") {
  EventFixture events;
  events.launch(0, 5, 1).kernel("gemm", 10, 5, 1);
  call(events, "cudaMemsetAsync", 20, "1", 2);
  call(events, "hipMemcpyAsync", 30, "1", 3);
  call(events, "cudaMemcpyAsync", 40, "1", 4);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", 50, 5, "7", 4);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.calls.count == 4);
  CHECK(counts.all.with_work.count == 2);
  CHECK(counts.all.transfers_without_work.count == 2);
  CHECK(counts.all.without_work.count == 0);
  CHECK(counts.all.covered() == 1.0);
  CHECK(kino::lost_note(counts).empty());
  // Without any recorded GPU work, such calls may have run something.
  call(events, "cudaMemsetAsync", 0);
  CHECK(counted(*events.build()).all.without_work.count == 1);
}

TEST_CASE("the note on lost launches counts copies in neither number or in both") {
  EventFixture events;
  events.launch(0, 5, 1).kernel("gemm", 10, 5, 1).launch(20, 5, 2).launch(30, 5, 3);
  call(events, "cudaMemsetAsync", 40, "1", 4);
  call(events, "cudaMemcpyAsync", 50, "1", 5);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", 60, 5, "7", 5);
  CHECK(kino::lost_note(counted(*events.build())) ==
        "2 of 3 launches of kernels or graphs have no GPU work in the trace.");
  events.launch(0, 5, 1);
  call(events, "cudaMemcpyAsync", 10, "1", 2);
  events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoH", 20, 5, "7", 2);
  CHECK(kino::lost_note(counted(*events.build())) ==
        "1 of 1 launches of kernels or graphs has no GPU work in the trace. No kernel was recorded.");
  events.launch(0, 5, 1);
  call(events, "cudaMemcpyAsync", 10, "1", 2);
  CHECK(kino::lost_note(counted(*events.build())) ==
        "2 of 2 launches have no GPU work in the trace. The GPU side of the recording is missing.");
}

TEST_CASE("launches between the begin and the end of a capture on their thread are captured, not lost") {
  for (const std::string maker : {"cuda", "cu", "hip", "musa"}) {
    EventFixture events;
    call(events, (maker + "LaunchKernel").c_str(), 0);
    call(events, (maker + "StreamBeginCapture_v10000").c_str(), 10);
    call(events, (maker + "LaunchKernel").c_str(), 20);
    call(events, (maker + "LaunchKernel").c_str(), 30, "2");     // on another thread
    call(events, (maker + "LaunchKernel").c_str(), 32, "1", 7);  // on a stream that is not captured
    events.kernel("gemm", 40, 5, 7);
    call(events, (maker + "StreamEndCapture_v10000").c_str(), 50);
    call(events, (maker + "LaunchKernel").c_str(), 60);
    CAPTURE(maker);
    const auto trace = events.build();
    const LaunchCounts counts = counted(*trace);
    CHECK(counts.all.calls.count == 5);
    CHECK(counts.all.captured.count == 1);
    CHECK(counts.all.captured.first == slice_named(*trace, maker + "LaunchKernel", 1));
    CHECK(counts.all.with_work.count == 1);
    CHECK(counts.all.without_work.count == 3);
    CHECK(counts.all.covered() == 0.25);
  }
}

TEST_CASE("a capture without its end lasts to the recording's end, one without its begin from the start") {
  EventFixture events;
  events.launch(0, 5, 0);
  call(events, "cudaStreamEndCapture", 10);
  events.launch(20, 5, 0);
  call(events, "cudaStreamBeginCapture", 30);
  events.launch(40, 5, 0).launch(50, 5, 0);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.captured.count == 3);
  CHECK(counts.all.without_work.count == 1);
}

TEST_CASE("concurrent captures of several streams count until the last one ends") {
  EventFixture events;
  call(events, "cudaStreamBeginCapture", 0);
  call(events, "cudaStreamBeginCapture", 10);
  call(events, "cudaStreamEndCapture", 20);
  events.launch(30, 5, 0);
  call(events, "cudaStreamEndCapture", 40);
  events.launch(50, 5, 0);
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.captured.count == 1);
  CHECK(counts.all.without_work.count == 1);
}

TEST_CASE("a capture that another thread ends contains the launches of both threads until then") {
  EventFixture events;
  call(events, "cudaStreamBeginCapture", 0, "1");
  events.launch(10, 5, 0, "1").launch(10, 5, 0, "2");
  call(events, "cudaStreamEndCapture", 20, "2");
  events.launch(30, 5, 0, "1").launch(30, 5, 0, "2");
  const LaunchCounts counts = counted(*events.build());
  CHECK(counts.all.captured.count == 2);
  CHECK(counts.all.without_work.count == 2);
}

TEST_CASE("idle time is unknown once kernels, or the kernels of graphs, were lost") {
  EventFixture events;
  for (int i = 0; i < 20; ++i) events.launch(10 * i, 5, static_cast<std::uint32_t>(i + 1));
  for (int i = 0; i < 19; ++i) events.kernel("gemm", 1000 + 10 * i, 5, static_cast<std::uint32_t>(i + 1));
  CHECK_FALSE(counted(*events.build()).idle_unknown());  // one launch in twenty, as recordings end
  events.launch(0, 5, 1).kernel("gemm", 10, 5, 1);
  call(events, "hipGraphLaunch", 20);
  CHECK(counted(*events.build()).idle_unknown());
  CHECK_FALSE(counted(*EventFixture().op("aten::add", 0, 5).build()).idle_unknown());
}

TEST_CASE("a range counts the launches that start in it") {
  EventFixture events;
  events.launch(0, 5, 0).launch(100, 5, 0).launch(200, 5, 0);
  const auto trace = events.build();
  CHECK(count_launches(*trace, {100, 200}).all.calls.count == 1);
  std::stop_source stop;
  stop.request_stop();
  CHECK(count_launches(*trace, kino::whole_range(*trace), stop.get_token()).all.calls.count == 0);
}

TEST_CASE("the tables of launches and of graphs report lost and captured launches") {
  EventFixture events;
  call(events, "hipStreamBeginCapture", 0);
  call(events, "hipModuleLaunchKernel", 10);
  call(events, "hipStreamEndCapture", 20);
  call(events, "hipGraphLaunch", 30, "1", 1);
  events.kernel("gemm", 40, 5, 1);
  call(events, "hipModuleLaunchKernel", 50);
  const auto trace = events.build();
  const kino::RangeAnalysis whole(*trace, kino::whole_range(*trace));
  const auto launch = kino::table_of(kino::kLaunchTable, whole).notes;
  REQUIRE(launch.size() == 3);
  CHECK(launch[1] == "1 of 3 launches has no GPU work in the trace.");
  CHECK(launch[2] == "1 of 3 launches was captured into a graph. Its work runs when the graph is launched.");
  const auto graphs = kino::table_of(kino::kGraphTable, whole).notes;
  REQUIRE(graphs.size() == 1);
  CHECK(graphs[0] == launch[2]);
}
