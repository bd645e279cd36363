// Covers: gpu_index
// GPU index of small jobs, computed by hand.
#include "core/job/gpu_index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/job/rank_digest.hpp"
#include "core/tables/analysis/trace_tables.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::RankDigest;

namespace {

std::vector<const RankDigest*> pointers_to(const std::vector<RankDigest>& ranks) {
  std::vector<const RankDigest*> pointers;
  for (const RankDigest& rank : ranks) pointers.push_back(&rank);
  return pointers;
}

/// Kernels beside `communication` only.
kino::KernelTimes times_of(const kino::Trace& trace,
                           const std::vector<kino::CommunicationKernel>& communication = {}) {
  return kino::kernel_times_of(trace, kino::gpu_work_in(trace, kino::whole_range(trace)),
                               kino::find_steps(trace), communication, {});
}

/// `durations_ns` by call.
RankDigest rank_with(const std::vector<std::int64_t>& durations_ns) {
  std::vector<std::int64_t> values;
  for (std::size_t call = 0; call < durations_ns.size(); ++call)
    values.insert(values.end(), {static_cast<std::int64_t>(call), durations_ns[call]});
  RankDigest rank;
  rank.kernel_times.alone = {kino::KernelTimes::kColumns, values};
  return rank;
}

std::vector<RankDigest> ranks_with(const std::vector<std::vector<std::int64_t>>& durations_ns) {
  std::vector<RankDigest> ranks;
  for (const std::vector<std::int64_t>& durations : durations_ns) ranks.push_back(rank_with(durations));
  return ranks;
}

/// Returns `count` calls of 50 to 59 us, times `factor`.
std::vector<std::int64_t> calls_of(std::size_t count, double factor) {
  std::vector<std::int64_t> durations;
  for (std::size_t call = 0; call < count; ++call) {
    const auto whole = static_cast<double>(50'000 + 1000 * (call % 10));
    durations.push_back(static_cast<std::int64_t>(whole * factor));
  }
  return durations;
}

}  // namespace

TEST_CASE("the GPU index of a rank is the median of its ratios to other ranks for the same calls") {
  std::vector<RankDigest> ranks;
  for (const double factor : {1.0, 1.15, 1.0, 1.0}) ranks.push_back(rank_with(calls_of(400, factor)));
  const std::vector<kino::GpuComparison> gpu = kino::gpu_index(pointers_to(ranks));
  REQUIRE(gpu.size() == 4);
  CHECK(gpu[1].ratio.value() == doctest::Approx(1.15).epsilon(1e-5));
  CHECK(gpu[1].low == doctest::Approx(1.15).epsilon(1e-5));
  CHECK(gpu[1].calls == 400);
  CHECK_FALSE(gpu[1].only_other);
  CHECK(gpu[1].slower());
  CHECK(gpu[0].ratio.value() == 1);
  CHECK(kino::claim_of(gpu[0]) == kino::GpuClaim::none);
}

TEST_CASE("calls that only one rank ran without communication do not affect the GPU index") {
  std::vector<std::int64_t> many = calls_of(400, 1);
  for (std::size_t call = 60; call < many.size(); ++call) many[call] *= 3;
  std::vector<RankDigest> ranks = ranks_with({many, calls_of(60, 1), calls_of(60, 1)});
  const std::vector<kino::GpuComparison> gpu = kino::gpu_index(pointers_to(ranks));
  CHECK(gpu[0].ratio.value() == 1);
  CHECK(gpu[0].calls == 60);
}

TEST_CASE("rare long calls do not make a rank slower than the median") {
  // On each of 6 ranks another tenth of the calls is long, so that all sums are equal.
  std::vector<RankDigest> ranks;
  for (std::size_t rank = 0; rank < 6; ++rank) {
    std::vector<std::int64_t> durations(600, 40'000);
    for (std::size_t call = rank; call < durations.size(); call += 10) durations[call] = 200'000;
    ranks.push_back(rank_with(durations));
  }
  for (const kino::GpuComparison& gpu : kino::gpu_index(pointers_to(ranks))) {
    CHECK(gpu.ratio.value() == 1);
    CHECK(gpu.low < 1);
    CHECK(gpu.high > 1);
    CHECK(gpu.others == 5);
  }
}

TEST_CASE("two ranks are compared with each other, with inverse results") {
  const std::vector<RankDigest> ranks = ranks_with({calls_of(100, 1), calls_of(100, 1.25)});
  const std::vector<kino::GpuComparison> gpu = kino::gpu_index(pointers_to(ranks));
  CHECK(gpu[0].only_other == 1);
  CHECK(gpu[0].ratio.value() == doctest::Approx(0.8));
  CHECK(gpu[0].faster());
  CHECK(gpu[1].only_other == 0);
  CHECK(gpu[1].ratio.value() == doctest::Approx(1.25));
  CHECK(gpu[1].slower());
}

TEST_CASE("without 30 calls and 1 ms there is no GPU index, but the number of calls is known") {
  const std::vector<RankDigest> few = ranks_with({calls_of(29, 1), calls_of(29, 2)});
  CHECK_FALSE(kino::gpu_index(pointers_to(few))[1].ratio);
  CHECK(kino::gpu_index(pointers_to(few))[1].calls == 29);
  CHECK(kino::claim_of(kino::gpu_index(pointers_to(few))[1]) == kino::GpuClaim::too_few_calls);
  const std::vector<RankDigest> short_ones = ranks_with({calls_of(400, 0.04), calls_of(400, 0.08)});
  CHECK_FALSE(kino::gpu_index(pointers_to(short_ones))[1].ratio);  // 0.87 ms of the other rank
  CHECK(kino::claim_of(kino::gpu_index(pointers_to(short_ones))[1]) == kino::GpuClaim::too_short_calls);
  CHECK(kino::gpu_index({}).empty());
  CHECK_FALSE(kino::gpu_index(pointers_to(ranks_with({calls_of(400, 1)})))[0].ratio);
}

TEST_CASE("a difference caused by one long call is not reported") {
  std::vector<std::int64_t> durations = calls_of(400, 1);
  durations[7] += 2'000'000;  // 9 % of the sum
  const std::vector<RankDigest> ranks = ranks_with({calls_of(400, 1), durations});
  const kino::GpuComparison gpu = kino::gpu_index(pointers_to(ranks))[1];
  CHECK(gpu.ratio.value() > 1.08);
  CHECK(gpu.low < 1.02);
  CHECK(kino::claim_of(gpu) == kino::GpuClaim::none);
}

TEST_CASE("calls are equal on all ranks by name, shapes, step and index, independent of clocks") {
  const auto times_from = [](std::int64_t begin) {
    kino::EventFixture events;
    for (std::int64_t i = 0; i < 6; ++i)
      events.kernel(i % 2 == 0 ? "gemm" : "add", begin + 1000 * i, 100 + i);
    return times_of(*events.build());
  };
  const kino::KernelTimes a = times_from(0);
  const kino::KernelTimes b = times_from(77'000);
  REQUIRE(a.alone.size() == 6);
  REQUIRE(b.alone.size() == 6);
  for (std::size_t i = 0; i < a.alone.size(); ++i) {
    CHECK(a.alone.at(i, kino::KernelTimes::kCall) == b.alone.at(i, kino::KernelTimes::kCall));
    CHECK(a.alone.at(i, kino::KernelTimes::kDuration) == b.alone.at(i, kino::KernelTimes::kDuration));
  }
}

TEST_CASE(
    "kernels with other input shapes or steps are other calls, and kernels outside of steps are excluded") {
  const auto calls_of_step = [](int number, const char* dims) {
    kino::EventFixture events;
    events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(number), 0, 1000,
                 "1");
    events.op("aten::mm", 10, 500).told({{'I', dims}});
    events.launch(20, 10, 1).launch(40, 10, 2).launch(2000, 10, 3);
    for (std::uint32_t i = 1; i <= 3; ++i) events.kernel("gemm", 1000 * i, 100, i);
    const kino::KernelTimes times = times_of(*events.build());
    std::set<std::int64_t> calls;
    for (std::size_t i = 0; i < times.alone.size(); ++i)
      calls.insert(times.alone.at(i, kino::KernelTimes::kCall));
    return calls;
  };
  const std::set<std::int64_t> calls = calls_of_step(3, "[[8, 4], [4, 2]]");
  CHECK(calls.size() == 2);
  CHECK(calls_of_step(3, "[[8, 4], [4, 2]]") == calls);
  const auto shared = [&](const std::set<std::int64_t>& other) {
    return std::ranges::count_if(other, [&](std::int64_t call) { return calls.contains(call); });
  };
  CHECK(shared(calls_of_step(3, "[[16, 4], [4, 2]]")) == 0);
  CHECK(shared(calls_of_step(4, "[[8, 4], [4, 2]]")) == 0);
}

TEST_CASE("an execution concurrent with communication is not compared, but counts as an occurrence") {
  kino::EventFixture events;
  for (std::int64_t i = 0; i < 4; ++i) events.kernel("gemm", 1000 * i, 100 + i);
  kino::CommunicationKernel communication;
  communication.start_ns = 950;
  communication.duration_ns = 100;
  const auto trace = events.build();
  const kino::KernelTimes all = times_of(*trace);
  const kino::KernelTimes some = times_of(*trace, {communication});
  REQUIRE(all.alone.size() == 4);
  REQUIRE(some.alone.size() == 3);
  std::vector<RankDigest> ranks(2);
  ranks[0].kernel_times = all;
  ranks[1].kernel_times = some;
  const kino::GpuComparison gpu = kino::gpu_index(pointers_to(ranks))[0];
  CHECK(gpu.calls == 3);
  CHECK(gpu.time_ns == 100 + 102 + 103);
}

TEST_CASE("kernels concurrent with communication are summed separately, and their slowdown is reported") {
  kino::EventFixture events;
  for (std::int64_t i = 0; i < 6; ++i) events.kernel("gemm", 1000 * i, i < 3 ? 100 : 130);
  events.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3000, 2900, 0, "20");
  kino::CommunicationKernel communication;
  communication.start_ns = 3000;
  communication.duration_ns = 2900;
  RankDigest rank;
  rank.kernel_times = times_of(*events.build(), {communication});
  REQUIRE(rank.kernel_times.classes.size() == 1);
  CHECK(rank.kernel_times.classes[0].isolated_calls == 3);
  CHECK(rank.kernel_times.classes[0].isolated_median_ns == 100);
  CHECK(rank.kernel_times.classes[0].isolated_ns == 300);
  CHECK(rank.kernel_times.classes[0].overlapped_calls == 3);
  CHECK(rank.kernel_times.classes[0].overlapped_median_ns == 130);
  const RankDigest* const one = &rank;
  CHECK(kino::overlap_cost({&one, 1}).value() == doctest::Approx(1.3));
}
