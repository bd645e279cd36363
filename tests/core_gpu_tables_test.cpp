// The tables of GPU work against cases worked out by hand.
#include <doctest/doctest.h>

#include "core/copy_table.hpp"
#include "core/gpu_breakdown.hpp"
#include "core/gpu_metrics.hpp"
#include "core/idle_gaps.hpp"
#include "core/kernel_table.hpp"
#include "core/launch_table.hpp"
#include "core/queue_length.hpp"
#include "tests/event_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::GpuWork;
using kino::KernelGrouping;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

/// Times in us for legibility.
constexpr std::int64_t kUs = 1000;

GpuWork work_of(const Trace& trace) { return kino::gpu_work_in(trace, kino::whole_range(trace)); }

std::shared_ptr<const Trace> without_gpu() { return EventFixture().op("aten::add", 0, 10).build(); }

}  // namespace

TEST_CASE("the breakdown measures unions, and names what runs at once") {
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

TEST_CASE("a trace without a GPU has empty tables") {
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
  CHECK(kino::gap_table(*trace, work, range).row_count() == 0);
}

TEST_CASE("kernels have the statistics of their calls, not of their sums") {
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
  CHECK(kino::decode_facts(*trace)[rows[0].facts].grid[0] == 8);  // of the longest
  const auto shapes =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::shape);
  CHECK(shapes.size() == 3);
  const auto ops = kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::op);
  REQUIRE(ops.size() == 2);
  CHECK(trace->names[kino::index_of(ops[1].op)] == "aten::mm");
}

TEST_CASE("an instance far above the median of its like is an outlier") {
  EventFixture fixture;
  for (int i = 0; i < 9; ++i) fixture.kernel("ncclDevKernel_AllReduce", i * 100, 10, 0, "20");
  fixture.kernel("ncclDevKernel_AllReduce", 1000, 5000, 0, "20");
  const auto trace = fixture.build();
  const auto outliers = kino::kernel_outliers(*trace, work_of(*trace));
  REQUIRE(outliers.size() == 1);
  CHECK(outliers[0].duration_ns == 5000);
  CHECK(outliers[0].median_ns == 10);
  CHECK(outliers[0].ratio == 500);
}

TEST_CASE("names of Tensor Core kernels of all generations are known") {
  CHECK(kino::uses_tensor_cores("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"));
  CHECK(kino::uses_tensor_cores("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn"));
  CHECK(kino::uses_tensor_cores("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"));
  CHECK_FALSE(kino::uses_tensor_cores("volta_sgemm_128x64_nn"));
  CHECK_FALSE(kino::uses_tensor_cores("void at::native::vectorized_elementwise_kernel<4>"));
}

TEST_CASE("gaps have causes; the end before is the latest, and a missing launch is no late launch") {
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
  const auto part =
      kino::idle_by_stream(*trace, kino::gpu_work_in(*trace, {0, 300 * kUs}), {150 * kUs, 300 * kUs});
  REQUIRE(part.size() == 1);
  CHECK(part[0].causes[0].total_ns == 70 * kUs);
  const kino::Table gaps = kino::gap_table(*trace, work, kino::whole_range(*trace), 2);
  CHECK(gaps.row_count() == 2);
}

TEST_CASE("work that overlaps the next one leaves no negative gap") {
  const auto trace = EventFixture().kernel("a", 0, 100).kernel("b", 10, 20).kernel("c", 120, 5).build();
  const auto streams = kino::idle_by_stream(*trace, work_of(*trace), kino::whole_range(*trace));
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].total_ns() == 20);
}

TEST_CASE("launch delays count from the call's end, and never below 0") {
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

TEST_CASE("the queue grows with a launch before it shrinks with a start of the same time") {
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

TEST_CASE("copies have bandwidths by direction") {
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
}

TEST_CASE("GPU metrics count kernels alone, weighted by time") {
  const auto trace = EventFixture()
                         .kernel("a", 0, 40, 0, "7")
                         .told({{'B', "0.6"}, {'o', "40"}})
                         .kernel("b", 20, 40, 0, "8")
                         .told({{'B', "0.6"}, {'o', "80"}})
                         .slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 80, 20, "7")
                         .build();
  const auto gpus = kino::gpu_metrics(*trace, work_of(*trace), {0, 100});
  REQUIRE(gpus.size() == 1);
  CHECK(gpus[0].utilization == doctest::Approx(0.6));
  CHECK(gpus[0].sm_efficiency == doctest::Approx((20 * 0.6 + 20 * 1.0 + 20 * 0.6) / 100));
  CHECK(gpus[0].occupancy == doctest::Approx(60));
}
