// Covers: interval_times
// Time of a rank before each of its communication kernels, computed by hand.
#include "core/job/interval_times.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/rank_digest.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::IntervalPart;
using kino::TraceInterval;

namespace {

kino::CommunicationKernel kernel_at(std::int64_t start_ns, std::int64_t end_ns) {
  kino::CommunicationKernel kernel;
  kernel.start_ns = start_ns;
  kernel.duration_ns = end_ns - start_ns;
  return kernel;
}

std::int64_t time_of(const TraceInterval& stretch, IntervalPart part) {
  return stretch.times[static_cast<std::size_t>(part)];
}

}  // namespace

TEST_CASE("partitions the time before a communication completely, GPU work first") {
  kino::EventFixture events;
  events.op("forward", 0, 90)
      .launch(50, 10, 1)
      .slice(kino::TrackClass::cpu, "user_annotation", "enumerate(DataLoader)#_next", 1000, 100, "1")
      .slice(kino::TrackClass::cpu, "user_annotation", "gc", 1100, 50, "1")
      .slice(kino::TrackClass::cpu, "cuda_runtime", "cudaDeviceSynchronize", 1150, 100, "1")
      .op("aten::gcd", 1250, 100)
      .launch(1400, 10, 2)
      .launch(1410, 10, 3)
      .launch(3300, 10, 4)
      .op("aten::of_a_thread_that_launches_nothing", 2700, 600, "2");
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 100, 900, 1, "20")
      .kernel("gemm", 1500, 1000, 2)
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2500, 200, "7", 3)
      .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3500, 500, 4, "20")
      .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5000, 100, 0, "20");
  const auto trace = events.build();
  const std::vector<kino::CommunicationKernel> kernels{kernel_at(100, 1000), kernel_at(3500, 4000),
                                                       kernel_at(5000, 5100)};
  const std::vector<TraceInterval> stretches =
      kino::intervals_of(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)), kernels, {});
  REQUIRE(stretches.size() == 3);
  CHECK(stretches[0].previous == TraceInterval::kNone);
  const TraceInterval& second = stretches[1];
  CHECK(second.previous == 0);
  CHECK(second.length_ns == 2500);
  CHECK(time_of(second, IntervalPart::compute) == 1000);
  CHECK(time_of(second, IntervalPart::copy) == 200);
  CHECK(time_of(second, IntervalPart::other_communication) == 0);
  CHECK(time_of(second, IntervalPart::queued) == 100 + 200);
  CHECK(time_of(second, IntervalPart::data_loader) == 100);
  CHECK(time_of(second, IntervalPart::garbage_collection) == 50);
  CHECK(time_of(second, IntervalPart::blocking_call) == 100);
  CHECK(time_of(second, IntervalPart::cpu_busy) == 100);
  CHECK(time_of(second, IntervalPart::cpu_untraced) == 50 + 600);
  CHECK(std::accumulate(second.times.begin(), second.times.end(), std::int64_t{0}) == second.length_ns);
  CHECK(stretches[2].previous == 1);
  CHECK(time_of(stretches[2], IntervalPart::launch_unknown) == 1000);
}

TEST_CASE("the time before a communication starts at the last end, also if another one still ran") {
  kino::EventFixture events;
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 1000, 0, "20")
      .kernel("ncclDevKernel_AllGather_RING_LL", 400, 100, 0, "24")
      .kernel("ncclDevKernel_AllGather_RING_LL", 700, 500, 0, "24");
  const auto trace = events.build();
  const std::vector<kino::CommunicationKernel> kernels{kernel_at(0, 1000), kernel_at(400, 500),
                                                       kernel_at(700, 1200)};
  const std::vector<TraceInterval> stretches =
      kino::intervals_of(*trace, kino::gpu_work_in(*trace, kino::whole_range(*trace)), kernels, {});
  REQUIRE(stretches.size() == 3);
  CHECK(stretches[1].previous == TraceInterval::kNone);
  CHECK(stretches[2].previous == 1);
  CHECK(stretches[2].length_ns == 200);
  CHECK(time_of(stretches[2], IntervalPart::other_communication) == 200);
}

TEST_CASE("uses collectives on CPU threads for a rank without communication kernels") {
  kino::EventFixture events;
  events.op("aten::addmm", 0, 300).op("aten::mm", 400, 200);
  const auto reduce = [&](std::int64_t start_ns, std::int64_t duration_ns, const char* thread) {
    events.slice(kino::TrackClass::cpu, "user_annotation", "gloo:all_reduce", start_ns, duration_ns, thread)
        .told({{'I', "[[1000]]"}, {'T', R"(["float"])"}});
  };
  reduce(100, 50, "2");
  reduce(200, 90, "2");
  reduce(210, 100, "3");
  reduce(350, 10, "3");
  const kino::RankDigest digest = kino::digest_of(*events.build());
  REQUIRE(digest.kernels.size() == 4);
  CHECK(digest.kernels[0].kind == kino::CollectiveKind::all_reduce);
  CHECK(digest.kernels[0].in_elements == 1'000);
  CHECK(digest.kernels[0].group == digest.kernels[3].group);
  REQUIRE(digest.stretches.size() == 4);
  // From 150 to 200 the main thread is in an operator, from 310 to 350 in none.
  CHECK(digest.stretches[1].length_ns == 50);
  CHECK(time_of(digest.stretches[1], IntervalPart::cpu_busy) == 50);
  CHECK(digest.stretches[3].length_ns == 40);
  CHECK(time_of(digest.stretches[3], IntervalPart::cpu_untraced) == 40);
  for (const TraceInterval& it : digest.stretches)
    CHECK(std::accumulate(it.times.begin(), it.times.end(), std::int64_t{0}) == it.length_ns);
}
