// Covers: copy_table, gpu_breakdown, gpu_gaps, idle_gaps, kernel_table, launch_table, queue_length,
//   gpu_work
// The tables of GPU work against cases worked out by hand.
#include <algorithm>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "core/tables/analysis/range_analysis.hpp"
#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/kernel_outliers.hpp"
#include "core/tables/gpu/kernel_table.hpp"
#include "core/tables/gpu/launch_table.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/gpu_work_of.hpp"

namespace {

using kino::EventFixture;
using kino::GpuWork;
using kino::KernelGrouping;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;
using kino_test::work_of;

/// Times in us, for readability.
constexpr std::int64_t kUs = 1000;

std::shared_ptr<const Trace> without_gpu() { return EventFixture().op("aten::add", 0, 10).build(); }

}  // namespace

TEST_CASE("finds the streams of a process") {
  Trace trace;
  GpuWork work;
  for (const std::uint32_t process : {0U, 0U, 1U, 3U, 3U, 3U, 5U}) {
    trace.tracks.emplace_back().process = process;
    // Every second track has no work.
    if (trace.tracks.size() % 2 == 1)
      work.streams.emplace_back().track = kino::TrackId{static_cast<std::uint32_t>(trace.tracks.size() - 1)};
  }
  std::vector<std::size_t> counts;
  for (std::uint32_t process = 0; process < 7; ++process) {
    for (const kino::StreamWork& stream : work.of_process(trace, process))
      CHECK(trace.tracks[kino::index_of(stream.track)].process == process);
    counts.push_back(work.of_process(trace, process).size());
  }
  CHECK(counts == std::vector<std::size_t>{1, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("measures unions, and names concurrent kinds") {
  const auto trace =
      EventFixture()
          .kernel("gemm", 0, 100, 0, "7")
          .kernel("gemm", 50, 100, 0, "8")
          .kernel("ncclDevKernel_AllReduce_Sum", 120, 80, 0, "20")
          .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 300, 50, "7")
          .build();
  const auto gpus = kino::gpu_breakdown(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].kernel_time_ns() == 350);
  CHECK(gpus[0].compute_ns() == 150);
  CHECK(gpus[0].communication_ns() == 80);
  CHECK(gpus[0].overlap_ns() == 30);
  CHECK(gpus[0].exposed_communication_ns() == 50);
  CHECK(gpus[0].copy_ns() == 50);
  CHECK(gpus[0].non_compute_ns() == 100);
  CHECK(gpus[0].idle_ns() == 100);
  CHECK(gpus[0].overlap_share() == 30.0 / 80.0);
  const auto part = kino::gpu_breakdown(*trace, kino::gpu_work_in(*trace, {100, 140}), {100, 140});
  REQUIRE(part.size() == 1);
  CHECK(part[0].exact[1] == 20);
  CHECK(part[0].exact[3] == 20);
  CHECK(kino::kernel_type_table(*trace, gpus).row_count() == 4);
}

TEST_CASE("has empty tables for a trace without a GPU") {
  const auto trace = without_gpu();
  const TimeRange range = kino::whole_range(*trace);
  const GpuWork work = work_of(*trace);
  CHECK(kino::gpu_breakdown(*trace, work, range).empty());
  CHECK(kino::kernel_rows(*trace, work, range, KernelGrouping::name).empty());
  CHECK(kino::kernel_outliers(*trace, work).empty());
  CHECK(kino::idle_by_stream(*trace, work, range).empty());
  CHECK(kino::launch_rows(*trace, work).empty());
  CHECK(kino::queue_rows(*trace, work).empty());
  CHECK(kino::copy_rows(*trace, work, range).empty());
  CHECK(kino::gpu_metrics(*trace, work, range).empty());
  CHECK(kino::gap_table(*trace, work, {}, range, kino::GapGrouping::gpu, {}).row_count() == 0);
  CHECK(kino::gap_table(*trace, work, {}, range, kino::GapGrouping::stream, {}).row_count() == 0);
}

TEST_CASE("computes statistics of the calls of a kernel") {
  const auto trace =
      EventFixture()
          .op("aten::mm", 0, 20)
          .launch(1, 2, 11)
          .kernel("gemm", 100, 10, 11)
          .told({{'g', "[4, 2, 1]"}, {'b', "[128, 1, 1]"}, {'r', "32"}, {'B', "0.5"}, {'o', "50"}})
          .kernel("gemm", 200, 30)
          .told({{'g', "[8, 2, 1]"}, {'b', "[128, 1, 1]"}, {'r', "32"}, {'B', "1.5"}, {'o', "90"}})
          .kernel("gemm", 300, 20)
          .build();
  const auto rows =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::name);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].spread.count == 3);
  CHECK(rows[0].spread.total_ns == 60);
  CHECK(rows[0].spread.min_ns == 10);
  CHECK(rows[0].spread.max_ns == 30);
  CHECK(rows[0].spread.median_ns == 20);
  CHECK(rows[0].spread.deviation_ns == 10);
  CHECK(rows[0].blocks_per_sm == doctest::Approx((0.5 * 10 + 1.5 * 30) / 40));
  CHECK(rows[0].occupancy == doctest::Approx((50 * 10 + 90 * 30) / 40.0));
  CHECK(kino::decode_facts(*trace)[rows[0].facts].grid[0] == 8);  // from the longest call
  const auto shapes =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::shape);
  CHECK(shapes.size() == 3);
  const auto ops = kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::op);
  REQUIRE(ops.size() == 2);
  CHECK(trace->names[kino::index_of(ops[1].op)] == "aten::mm");
}

TEST_CASE("reports the GPU time in graphs recorded as a whole") {
  const auto notes = [](bool graph) {
    EventFixture events;
    events.kernel("a", 0, 10);
    if (graph) events.slice(TrackClass::gpu, "cuda_graph", "graph 1", 20, 90, "7");
    const auto trace = events.build();
    const kino::RangeAnalysis parts(*trace, kino::whole_range(*trace));
    return kino::kKernelTable.compute(parts, {}, {}).notes;
  };
  CHECK(notes(false).empty());
  REQUIRE(notes(true).size() == 1);
  CHECK(
      notes(true).back() ==
      "The rows cover 10.0 % of GPU time. The other 90.0 % is in CUDA graphs that were recorded as a whole, "
      "without their kernels. Shares refer to the rows only.");
}

TEST_CASE("a graph recorded as a whole is no instance of a kernel with the same name") {
  EventFixture events;
  events.kernel("a", 0, 10).slice(TrackClass::gpu, "cuda_graph", "a", 20, 90, "7");
  const auto trace = events.build();
  const auto rows =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::name);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].spread.count == 1);
  CHECK(kino::kernel_instances(*trace, work_of(*trace), KernelGrouping::name, rows[0].longest).size() == 1);
}

TEST_CASE("distinguishes copies between other peers and collectives of other sizes") {
  EventFixture fixture;
  for (const char* target : {"1", "2", "2"}) {
    fixture.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy PtoP (Device -> Device)", target[0] * 1000, 5, "7")
        .told({{'y', "64"}, {'f', "0"}, {'t', target}});
  }
  for (int i = 0; i < 3; ++i) {
    fixture.op("record_param_comms", 200'000 + i * 100, 50)
        .told({{'c', "allreduce"}, {'n', i == 0 ? "1000000" : "10"}, {'d', "Float"}})
        .launch(200'010 + i * 100, 5, i + 1)
        .kernel("ncclDevKernel_AllReduce", 300'000 + i * 100, 9, i + 1, "20")
        .told({{'g', "[24, 1, 1]"}});
  }
  const auto trace = fixture.build();
  const auto rows =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::shape);
  REQUIRE(rows.size() == 4);
  const kino::Table table = kino::kernel_table(*trace, rows, KernelGrouping::shape);
  const auto& peers = std::get<kino::TableColumn::Texts>(table.find("peers")->values);
  CHECK(std::count(peers.begin(), peers.end(), "0 -> 1") == 1);
  CHECK(std::count(peers.begin(), peers.end(), "0 -> 2") == 1);
  for (const kino::KernelRow& row : rows) {
    const auto alike = kino::kernel_instances(*trace, work_of(*trace), KernelGrouping::shape, row.longest);
    CHECK(alike.size() == row.spread.count);
  }
}

TEST_CASE("finds causes of gaps from the latest end, and treats missing launches apart") {
  const auto trace = EventFixture()
                         .launch(0, 5, 1)
                         .launch(200 * kUs, 5, 2)
                         .launch(210 * kUs, 5, 3)
                         .kernel("a", 10 * kUs, 90 * kUs, 1)   // until 100
                         .kernel("b", 220 * kUs, 30 * kUs, 2)  // launched at 200: the host was late by 120
                         .kernel("c", 260 * kUs, 10 * kUs, 3)  // launched before 250: 10 of kernel wait
                         .kernel("d", 400 * kUs, 10 * kUs)     // unknown launch, 130: other
                         .build();
  const GpuWork work = work_of(*trace);
  const auto streams = kino::idle_by_stream(*trace, work, kino::whole_range(*trace));
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].causes[0].total_ns == 120 * kUs);
  CHECK(streams[0].causes[1].total_ns == 10 * kUs);
  CHECK(streams[0].causes[2].total_ns == 130 * kUs);
  CHECK(streams[0].unknown_launch.total_ns == 130 * kUs);
  CHECK(streams[0].longest_ns == 130 * kUs);
  const kino::Table table = kino::idle_table(*trace, streams);
  const auto cell = [&](const char* key) {
    return std::get<kino::TableColumn::Integers>(table.find(key)->values)[0];
  };
  CHECK(cell("host_wait_ns") == 120 * kUs);
  CHECK(cell("kernel_wait_ns") == 10 * kUs);
  CHECK(cell("other_ns") == 0);
  CHECK(cell("other_gaps") == 0);
  CHECK(cell("unknown_launch_ns") == 130 * kUs);
  CHECK(cell("unknown_launch_gaps") == 1);
  CHECK(cell("idle_ns") == 260 * kUs);  // the columns add up
  const auto part =
      kino::idle_by_stream(*trace, kino::gpu_work_in(*trace, {0, 300 * kUs}), {150 * kUs, 300 * kUs});
  REQUIRE(part.size() == 1);
  CHECK(part[0].causes[0].total_ns == 70 * kUs);
  const kino::Table gaps =
      kino::gap_table(*trace, work, {}, kino::whole_range(*trace), kino::GapGrouping::stream, {});
  CHECK(gaps.row_count() == 3);
  CHECK(std::get<kino::TableColumn::Texts>(gaps.find("cause")->values)[0] == "unknown launch");
  CHECK(gaps.notes.size() == 1);
}

TEST_CASE("has no negative gaps for overlapping work") {
  const auto trace = EventFixture().kernel("a", 0, 100).kernel("b", 10, 20).kernel("c", 120, 5).build();
  const auto streams = kino::idle_by_stream(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].total_ns() == 20);
}

TEST_CASE("measures launch delays from the end of the call, at least 0") {
  const auto trace = EventFixture()
                         .launch(0, 10 * kUs, 1)
                         .launch(20 * kUs, 60 * kUs, 2)
                         .kernel("a", 5 * kUs, 4 * kUs, 1)
                         .kernel("b", 300 * kUs, 5 * kUs, 2)
                         .build();
  const auto rows = kino::launch_rows(*trace, work_of(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].count == 2);
  CHECK(rows[0].delay.total_ns == 220 * kUs);
  CHECK(rows[0].short_work == 1);
  CHECK(rows[0].long_calls == 1);
  CHECK(rows[0].long_delays == 1);
}

TEST_CASE("counts a graph launch once, regardless of its work") {
  EventFixture events;
  events.slice(TrackClass::cpu, "cuda_runtime", "cudaGraphLaunch", 0, 100 * kUs, "1", 1);
  for (int i = 0; i < 5; ++i) events.kernel("a", (200 + 10 * i) * kUs, 5 * kUs, 1);
  const auto trace = events.build();
  const auto rows = kino::launch_rows(*trace, work_of(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].count == 5);
  CHECK(rows[0].calls.count == 1);
  CHECK(rows[0].calls.total_ns == 100 * kUs);
  CHECK(rows[0].calls_beyond_limit == 1);
  CHECK(rows[0].delay.count == 1);  // to the first work; later work waits for earlier work
  CHECK(rows[0].delay.total_ns == 100 * kUs);
  CHECK(rows[0].long_delays == 0);
  const auto queues = kino::queue_rows(*trace, work_of(*trace));
  REQUIRE(queues.size() == 1);
  CHECK(queues[0].points == 2);
  CHECK(queues[0].max == 1);
}

TEST_CASE("reports a full queue at 1024 launches for CUDA only") {
  const auto full_ns = [](const char* call) {
    EventFixture events;
    events.slice(TrackClass::cpu, "cuda_runtime", call, 0, 5, "1", 1).kernel("a", 10, 30, 1);
    const auto trace = events.build();
    const kino::Table table = kino::queue_table(*trace, kino::queue_rows(*trace, work_of(*trace)));
    return std::get<kino::TableColumn::Integers>(table.find("full_ns")->values)[0];
  };
  CHECK(full_ns("cudaLaunchKernel") == 0);
  CHECK(full_ns("hipLaunchKernel") == kino::kNoInteger);
}

TEST_CASE("counts a launch before a start of the same time") {
  const auto trace =
      EventFixture().launch(0, 5, 1).launch(10, 5, 2).kernel("a", 10, 30, 1).kernel("b", 40, 10, 2).build();
  const GpuWork work = work_of(*trace);
  const auto rows = kino::queue_rows(*trace, work);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].points == 4);
  CHECK(rows[0].max == 2);
  CHECK(rows[0].min == 0);
  CHECK(rows[0].mean == 1);
  CHECK(rows[0].mean_over_time == 1);  // 10 ns of 1, then 30 ns of 1
  CHECK(kino::queue_curve(*trace, work.streams[0]).back().length == 0);
}

TEST_CASE("computes bandwidths of copies by direction") {
  const auto trace =
      EventFixture()
          .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 2 * kUs, "7")
          .told({{'y', "4000"}, {'w', "2"}})
          .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", kUs, 4 * kUs, "8")
          .told({{'y', "4000"}, {'w', "1"}})
          .slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 9 * kUs, kUs, "7")
          .build();
  const auto rows = kino::copy_rows(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].direction == "Memcpy HtoD");
  CHECK(rows[0].bytes == 8000);
  CHECK(rows[0].bandwidth == doctest::Approx(8000.0 / 6000));
  CHECK(rows[0].peak == 3);
  CHECK(rows[0].points == 3);
  CHECK(rows[1].direction == "Memset");
  CHECK(rows[1].bytes == -1);
  CHECK(kino::copy_table(rows).notes.empty());
}

TEST_CASE("notes how many copies have a recorded size") {
  const auto trace =
      EventFixture()
          .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", 0, kUs, "7")
          .told({{'y', "4000"}})
          .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", kUs, kUs, "7")
          .build();
  const auto rows = kino::copy_rows(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].sized == 1);
  CHECK(rows[0].bandwidth == doctest::Approx(4));
  const kino::Table table = kino::copy_table(rows);
  REQUIRE(table.notes.size() == 1);
  CHECK(
      table.notes[0] ==
      "Bytes and bandwidth of Memcpy DtoD cover 1 of 2 calls, because the size of the others is not recorded.");
}

TEST_CASE("uses one measure for mean, slowest, fastest and peak bandwidth") {
  const auto trace = EventFixture()
                         .slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 0, 1'000, "7")
                         .told({{'y', "4000"}, {'w', "2"}})
                         .slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 2'000, 2'000, "7")
                         .told({{'y', "4000"}, {'w', "1"}})
                         .slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 3'000, 2'000, "8")
                         .told({{'y', "2000"}})
                         .slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", 9'000, 0, "7")
                         .told({{'y', "90000"}})
                         .build();
  const auto rows = kino::copy_rows(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].bytes == 100'000);
  CHECK(rows[0].bandwidth == doctest::Approx(2));  // the copy without a duration has no bandwidth
  CHECK(rows[0].least == doctest::Approx(1));
  CHECK(rows[0].most == doctest::Approx(4));
  CHECK(rows[0].max_concurrent == doctest::Approx(4));
  CHECK(rows[0].peak == doctest::Approx(2));  // as the profiler recorded it
  const kino::Table table = kino::copy_table(rows);
  for (const auto& [key, value] : {std::pair{"bandwidth", 2.0}, std::pair{"bandwidth_min", 1.0},
                                   std::pair{"bandwidth_max", 4.0}, std::pair{"bandwidth_peak", 4.0}}) {
    CAPTURE(key);
    CHECK(std::get<kino::TableColumn::Numbers>(table.find(key)->values)[0] == doctest::Approx(value));
  }
}
