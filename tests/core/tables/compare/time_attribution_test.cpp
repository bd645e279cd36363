// Covers: time_attribution
// Causes of each moment: a case by hand, and sums checked ns by ns.
#include "core/tables/compare/time_attribution.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::TimeCategory;

std::int64_t of(const kino::CauseTimes& times, TimeCategory cause) {
  return times[static_cast<std::size_t>(cause)];
}

}  // namespace

TEST_CASE("gives each moment of a GPU one cause: compute, communication, copies, idle") {
  kino::EventFixture events;
  events.op("warm", 0, 1)
      .slice(kino::TrackClass::cpu, "user_annotation", "enumerate(DataLoader)#_Iter.__next__", 10, 20, "1")
      .launch(40, 5, 1)
      .kernel("gemm", 50, 50, 1)
      .launch(60, 5, 2)
      .kernel("ncclDevKernel_AllReduce", 80, 40, 2, "8")
      .launch(62, 5, 3)
      .slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 110, 30, "9", 3);
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  CHECK(ledger.of_gpu());
  const kino::CauseTimes times = ledger.times({0, 200});
  CHECK(of(times, TimeCategory::idle_loader) == 20);
  CHECK(of(times, TimeCategory::idle_host) == 20);
  CHECK(of(times, TimeCategory::idle_launch) == 10);
  CHECK(of(times, TimeCategory::compute) == 50);
  CHECK(of(times, TimeCategory::comm) == 20);
  CHECK(of(times, TimeCategory::copy) == 20);
  CHECK(of(times, TimeCategory::idle_tail) == 60);
  CHECK(ledger.times({7, 7}) == kino::CauseTimes{});
}

TEST_CASE("counts the program's own communication kernels if all kernels count") {
  kino::EventFixture events;
  events.kernel("_mxfp8_all_to_all_expert_major_kernel", 0, 10, 0, "7")
      .kernel("gemm", 10, 5, 0, "7")
      .kernel("ncclDevKernel_AllGather", 15, 20, 0, "7");
  const auto trace = events.build();
  const kino::TimeAttribution all(*trace, std::nullopt, {}, kino::AttributedCollectives::all);
  CHECK(of(all.times({0, 35}), TimeCategory::comm) == 30);
  CHECK(of(all.times({0, 35}), TimeCategory::compute) == 5);
  CHECK(of(kino::TimeAttribution(*trace).times({0, 35}), TimeCategory::comm) == 20);
}

TEST_CASE("gives a busy moment to the earliest started kernel, so kernels add up") {
  kino::EventFixture events;
  events.kernel("a", 0, 10, 0, "7").kernel("b", 5, 20, 0, "8").kernel("c", 8, 4, 0, "9");
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  std::vector<std::int64_t> ns(trace->names.size());
  ledger.for_each({0, 25},
                  [&](std::int64_t begin, std::int64_t end, TimeCategory /*cause*/, kino::SliceId slice) {
                    ns[kino::index_of(trace->slices.name[kino::index_of(slice)])] += end - begin;
                  });
  std::erase(ns, 0);
  std::ranges::sort(ns);
  CHECK(ns == std::vector<std::int64_t>{10, 15});
}

TEST_CASE("gives each moment to the innermost event of the thread without GPU work") {
  kino::EventFixture events;
  events.op("outer", 0, 100).op("inner", 20, 30).op("other thread", 0, 500, "2");
  const auto trace = events.build();
  const kino::TrackId thread =
      trace->rows[kino::index_of(trace->row_of(kino::slice_named(*trace, "inner")))].track;
  const kino::TimeAttribution ledger(*trace, thread);
  std::int64_t outer = 0;
  std::int64_t inner = 0;
  std::int64_t none = 0;
  ledger.for_each(
      {0, 120}, [&](std::int64_t begin, std::int64_t end, TimeCategory cause, kino::SliceId slice) {
        CHECK(cause == TimeCategory::cpu);
        (slice == kino::kNoSlice ? none : trace->name_of(slice) == "inner" ? inner : outer) += end - begin;
      });
  CHECK(outer == 70);
  CHECK(inner == 30);
  CHECK(none == 20);
}

TEST_CASE("fills every interval of random work, as when each ns is counted") {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    kino::EventFixture events;
    struct Work {
      std::int64_t start;
      std::int64_t end;
      int rank;
    };
    std::vector<Work> all{{0, 1, 0}};
    events.kernel("gemm", 0, 1);
    for (int i = 0; i < 20; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 100);
      const auto length = static_cast<std::int64_t>(random() % 12);
      const int rank = static_cast<int>(random() % 2);
      events.kernel(rank == 0 ? "gemm" : "ncclKernel", start, length, 0, std::to_string(7 + i % 3));
      all.push_back({start, start + length, rank});
    }
    const auto trace = events.build();
    const kino::CauseTimes times = kino::TimeAttribution(*trace).times({3, 117});
    kino::CauseTimes wanted{};
    for (std::int64_t t = 3; t < 117; ++t) {
      int least = 2;
      bool later = false;
      for (const Work& work : all) {
        if (work.start <= t && t < work.end) least = std::min(least, work.rank);
        later = later || work.start > t;
      }
      const TimeCategory cause = least == 0   ? TimeCategory::compute
                                 : least == 1 ? TimeCategory::comm
                                 : later      ? TimeCategory::idle_host
                                              : TimeCategory::idle_tail;
      ++wanted[static_cast<std::size_t>(cause)];
    }
    CHECK(times == wanted);
  }
}

TEST_CASE("has no parts for an empty trace, and reports its time as a tail") {
  kino::EventFixture events;
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  CHECK(ledger.parts().empty());
  CHECK(of(ledger.times({0, 9}), TimeCategory::idle_tail) == 9);
}
