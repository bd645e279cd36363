// Covers: kernel_outliers, kernel_table
// Calls of a kernel or copy that took much longer than their peers.
#include "core/tables/gpu/kernel_outliers.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "core/tables/gpu/kernel_table.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/gpu_work_of.hpp"

namespace {

using kino::EventFixture;
using kino::KernelGrouping;
using kino::TrackClass;
using kino_test::work_of;

}  // namespace

TEST_CASE("compares only calls of known work without steps, and no collectives") {
  const auto outliers_with = [](const char* dims, const char* launch, const char* kernel = "nvjet") {
    EventFixture events;
    for (std::uint32_t i = 0; i < 10; ++i) {
      const std::int64_t at = i * 10'000;
      events.op("aten::mm", at, 100);
      if (dims != nullptr) events.told({{'I', dims}});
      events.slice(TrackClass::cpu, "cuda_runtime", launch, at + 5, 10, "1", i + 1);
      events.kernel(kernel, at + 20, i == 9 ? 5000 : 10, i + 1);
    }
    const auto trace = events.build();
    return kino::kernel_outliers(*trace, work_of(*trace));
  };
  const auto known = outliers_with("[[8, 8], [8, 8]]", "cudaLaunchKernel");
  REQUIRE(known.size() == 1);
  CHECK(known[0].duration_ns == 5000);
  CHECK(known[0].median_ns == 10);
  CHECK(known[0].ratio == 500);
  CHECK(outliers_with(nullptr, "cudaLaunchKernel").empty());
  CHECK(outliers_with("[[], []]", "cudaLaunchKernel").empty());  // no tensors
  // A collective waits for other ranks.
  CHECK(outliers_with("[[8, 8], [8, 8]]", "cudaLaunchKernel", "ncclDevKernel_Broadcast").empty());
  // A graph has the same kernel for other batch sizes and layers.
  CHECK(outliers_with("[[8, 8], [8, 8]]", "cudaGraphLaunch").empty());
}

TEST_CASE("excludes doubtful work that outlasts the recording") {
  const auto outliers_with = [](std::int64_t longest_ns) {
    EventFixture events;
    events.slice(TrackClass::cpu, "Trace", "PyTorch Profiler (0)", 0, 100'000, "2");
    for (std::uint32_t i = 0; i < 10; ++i) {
      const std::int64_t at = i * 10'000;
      events.op("aten::mm", at, 100).told({{'I', "[[8, 8], [8, 8]]"}}).launch(at + 5, 10, i + 1);
      events.kernel("nvjet", at + 20, i == 9 ? longest_ns : 10, i + 1);
    }
    const auto trace = events.build();
    return kino::kernel_outliers(*trace, work_of(*trace)).size();
  };
  CHECK(outliers_with(5'000) == 1);
  CHECK(outliers_with(100'001) == 0);
}

namespace {

/// Steps of 1 ms with `calls` kernels each; `duration_ns` returns the duration for a step and a call.
template <class Duration>
std::shared_ptr<const kino::Trace> steps_of_calls(int steps, int calls, const Duration& duration_ns) {
  EventFixture events;
  std::uint32_t correlation = 1;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t begin = step * 1'000'000;
    events.slice(TrackClass::cpu, "user_annotation", "ProfilerStep#" + std::to_string(step), begin, 1'000'000,
                 "1");
    for (int call = 0; call < calls; ++call, ++correlation) {
      const std::int64_t at = begin + call * 50'000;
      events.op("aten::mm", at, 20'000).told({{'I', "[[8, 8], [8, 8]]"}}).launch(at + 5, 10, correlation);
      events.kernel("gemm", at + 1'000, duration_ns(step, call), correlation);
    }
  }
  return events.build();
}

}  // namespace

TEST_CASE("finds no outliers in kernels that are slow in every step") {
  const auto trace = steps_of_calls(5, 12, [](int, int call) { return call % 3 == 2 ? 40'000 : 2'000; });
  CHECK(kino::kernel_outliers(*trace, work_of(*trace)).empty());
}

TEST_CASE("finds a kernel that is slower than at its position in other steps") {
  const auto trace = steps_of_calls(5, 12, [](int step, int call) {
    if (step == 3 && call == 4) return 30'000;
    return call % 3 == 2 ? 40'000 : 2'000 + 10 * step;
  });
  const auto outliers = kino::kernel_outliers(*trace, work_of(*trace));
  REQUIRE(outliers.size() == 1);
  CHECK(trace->slices.start_ns[kino::index_of(outliers[0].slice)] == 3'000'000 + 4 * 50'000 + 1'000);
  CHECK(outliers[0].median_ns == 2'020);
  CHECK(outliers[0].excess_ns() == 27'980);
  CHECK(kino::outlier_peers(*trace, outliers[0].slice).size() == 5);
  // Outliers in a part of the work have the same peers.
  CHECK(kino::kernel_outliers(*trace, kino::gpu_work_in(*trace, {0, 2'000'000})).empty());
  CHECK(kino::kernel_outliers(*trace, kino::gpu_work_in(*trace, {3'000'000, 4'000'000})).size() == 1);
}

TEST_CASE("finds no outliers in only two steps") {
  const auto trace =
      steps_of_calls(5, 3, [](int step, int call) { return step == 2 && call == 1 ? 30'000 : 2'000; });
  CHECK(kino::kernel_outliers(*trace, work_of(*trace)).size() == 1);
  const auto two =
      steps_of_calls(2, 3, [](int step, int call) { return step == 1 && call == 1 ? 30'000 : 2'000; });
  CHECK(kino::kernel_outliers(*two, work_of(*two)).empty());  // either of the two may be the unusual one
}

TEST_CASE("finds no outliers within the variation of a position") {
  const auto trace = steps_of_calls(6, 2, [](int step, int) { return 2'000 + 6'000 * step; });
  CHECK(kino::kernel_outliers(*trace, work_of(*trace)).empty());
}

TEST_CASE("finds a slow copy among its peers, regardless of measured bandwidth") {
  EventFixture fixture;
  const auto copy = [&](int at, int duration_ns, const char* bytes, const char* bandwidth) {
    fixture.slice(TrackClass::gpu, "gpu_memset", "Memset (Device)", at, duration_ns, "7")
        .told({{'y', bytes}, {'w', bandwidth}});
  };
  for (int i = 0; i < 9; ++i) copy(i * 1000, 10 + i % 3, "4096", std::to_string(400.0 - i).c_str());
  copy(20'000, 100, "4096", "40.96");  // slow for its peers
  copy(30'000, 400, "1000000", "2500");
  const auto trace = fixture.build();
  const auto outliers = kino::kernel_outliers(*trace, work_of(*trace));
  REQUIRE(outliers.size() == 1);
  CHECK(trace->slices.start_ns[kino::index_of(outliers[0].slice)] == 20'000);
  const auto rows =
      kino::kernel_rows(*trace, work_of(*trace), kino::whole_range(*trace), KernelGrouping::shape);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].spread.count == 10);
  const kino::Table table = kino::kernel_table(*trace, rows, KernelGrouping::shape);
  CHECK(std::get<kino::TableColumn::Integers>(table.find("bytes")->values) ==
        kino::TableColumn::Integers{1'000'000, 4096});
}
