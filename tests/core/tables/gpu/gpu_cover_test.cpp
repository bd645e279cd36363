// Covers: gpu_cover
// The part of a slice that other kernels of its GPU cover.
#include "core/tables/gpu/gpu_cover.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "tests/fixtures/event_fixture.hpp"

using kino::compute_during;
using kino::EventFixture;
using kino::slice_named;
using kino::SliceId;

TEST_CASE("finds the kernels that hide a collective, with a share per name") {
  EventFixture events;
  events.kernel("ncclDevKernel_AllReduce", 100, 100, 0, "20");
  events.kernel("gemm", 50, 70).kernel("add", 130, 20).kernel("gemm", 140, 30, 0, "8");
  events.kernel("gemm", 190, 50, 0, "9").kernel("late", 200, 10);
  events.kernel("ncclDevKernel_ReduceScatter", 100, 100, 0, "21");
  const auto trace = events.build();
  const SliceId all_reduce = slice_named(*trace, "ncclDevKernel_AllReduce", 0);
  const kino::GpuCover cover = compute_during(*trace, all_reduce);
  CHECK(cover.length_ns == 100);
  CHECK(cover.covered_ns == 20 + 40 + 10);  // 100-120, 130-170, 190-200
  REQUIRE(cover.by_name.size() == 2);       // without later work and other communication
  CHECK(trace->names[kino::index_of(cover.by_name[0].name)] == "gemm");
  CHECK(cover.by_name[0].overlap_ns == 20 + 30 + 10);
  CHECK(cover.by_name[0].count == 3);
  CHECK(trace->slices.start_ns[kino::index_of(cover.by_name[0].longest)] == 90);
  CHECK(cover.by_name[1].overlap_ns == 20);
  // A kernel does not cover itself.
  CHECK(compute_during(*trace, slice_named(*trace, "add", 0)).covered_ns == 10);
  CHECK(compute_during(*trace, slice_named(*trace, "late", 0)).covered_ns == 10);
}

TEST_CASE("has no cover for other slices than GPU work") {
  EventFixture events;
  events.op("op", 0, 100).kernel("gemm", 10, 20);
  const auto trace = events.build();
  CHECK(compute_during(*trace, slice_named(*trace, "op", 0)).length_ns == 0);
  CHECK(compute_during(*trace, slice_named(*trace, "gemm", 0)).covered_ns == 0);
}

TEST_CASE("agrees with counting every nanosecond") {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    EventFixture events;
    events.kernel("ncclAllGather", 0, 300, 0, "99");
    std::vector<std::pair<int, int>> kernels;
    for (int i = 0; i < 20; ++i) {
      const int start = static_cast<int>(random() % 350);
      const int length = static_cast<int>(random() % 40);
      kernels.emplace_back(start, start + length);
      events.kernel("k" + std::to_string(i % 3), start, length, 0, std::to_string(i));
    }
    const auto trace = events.build();
    std::int64_t covered = 0;
    for (int ns = 0; ns < 300; ++ns) {
      covered += std::ranges::any_of(kernels, [ns](const auto& k) { return k.first <= ns && ns < k.second; });
    }
    CHECK(compute_during(*trace, slice_named(*trace, "ncclAllGather", 0)).covered_ns == covered);
  }
}
