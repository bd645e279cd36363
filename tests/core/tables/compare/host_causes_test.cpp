// Covers: host_causes
// Host activity during GPU idle time: a case by hand, and sums checked ns by ns.
#include "core/tables/compare/host_causes.hpp"

#include <array>
#include <random>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::HostCause;
using kino::TimeCategory;

std::int64_t of(const kino::HostTimes& times, HostCause cause) {
  return times[static_cast<std::size_t>(cause)];
}

std::int64_t idle_host(const kino::TimeAttribution& ledger, kino::TimeRange window) {
  return ledger.times(window)[static_cast<std::size_t>(TimeCategory::idle_host)];
}

kino::EventFixture& call(kino::EventFixture& events, const char* name, std::int64_t start,
                         std::int64_t length, const char* thread = "1") {
  return events.slice(kino::TrackClass::cpu, "cuda_runtime", name, start, length, thread);
}

}  // namespace

TEST_CASE("assigns idle time of a late host to synchronization before memory, collection and locks") {
  kino::EventFixture events;
  events.launch(0, 5, 1).kernel("gemm", 10, 10, 1).launch(100, 5, 2).kernel("gemm", 110, 10, 2);
  call(events, "cudaStreamSynchronize", 15, 15);  // idle from 20 to 30
  call(events, "cudaMalloc", 40, 10);
  events.slice(kino::TrackClass::cpu, "user_annotation", "gc", 45, 15, "1");  // 10 of it after the malloc
  events.slice(kino::TrackClass::cpu, "python_function",
               "<built-in method acquire of _thread.lock object at 0x7f>", 70, 5, "1");
  call(events, "cudaEventSynchronize", 60, 40, "2");  // on a thread without launches
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  const kino::HostCauses host(*trace, ledger, kino::find_blocking_calls(*trace));
  const kino::TimeRange window{0, 120};
  const kino::HostTimes times = host.times(window, idle_host(ledger, window));
  CHECK(of(times, HostCause::synchronize) == 10);
  CHECK(of(times, HostCause::allocate) == 10);
  CHECK(of(times, HostCause::collect) == 10);
  CHECK(of(times, HostCause::lock) == 5);
  CHECK(of(times, HostCause::other) == 45);
  CHECK(of(host.times({22, 24}, idle_host(ledger, {22, 24})), HostCause::synchronize) == 2);
  CHECK(host.times({7, 7}, 0) == kino::HostTimes{});
}

TEST_CASE("does not mistake a folder or file named gc for garbage collection") {
  kino::EventFixture events;
  events.launch(0, 1, 1).kernel("gemm", 2, 8, 1).launch(50, 1, 2).kernel("gemm", 52, 10, 2);
  events.slice(kino::TrackClass::cpu, "python_function", "/home/gc/train.py(3): forward", 12, 10, "1");
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  const kino::HostTimes times = kino::HostCauses(*trace, ledger, kino::find_blocking_calls(*trace))
                                    .times({0, 62}, idle_host(ledger, {0, 62}));
  CHECK(of(times, HostCause::collect) == 0);
  CHECK(of(times, HostCause::other) == 40);
}

TEST_CASE("agrees with counting every ns of host causes, which add up") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    kino::EventFixture events;
    std::array<std::array<bool, 400>, 4> active{};
    std::uint32_t correlation = 0;
    std::int64_t at = 0;
    while (at < 300) {
      const auto launch = at + static_cast<std::int64_t>(random() % 40);
      ++correlation;
      events.launch(launch, 1, correlation)
          .kernel("gemm", launch + 3, static_cast<std::int64_t>(1 + random() % 20), correlation);
      at = launch + 24;
    }
    constexpr std::array kNames{"cudaDeviceSynchronize", "cudaFree", "gc", "sem_wait"};
    for (int i = 0; i < 6; ++i) {
      const auto kind = random() % 4;
      const auto start = static_cast<std::int64_t>(random() % 300);
      const auto length = static_cast<std::int64_t>(1 + random() % 30);
      events.slice(kino::TrackClass::cpu, kind < 2 ? "cuda_runtime" : "user_annotation", kNames[kind], start,
                   length, "1");
      for (std::int64_t ns = start; ns < start + length; ++ns)
        active[kind][static_cast<std::size_t>(ns)] = true;
    }
    const auto trace = events.build();
    const kino::TimeAttribution ledger(*trace);
    const kino::HostCauses host(*trace, ledger, kino::find_blocking_calls(*trace));
    kino::HostTimes expected{};
    const kino::TimeRange window{0, 380};
    const std::int64_t shift = trace->origin_unix_ns;  // times are relative to the earliest event
    ledger.for_each(window, [&](std::int64_t begin, std::int64_t end, TimeCategory cause, kino::SliceId) {
      if (cause != TimeCategory::idle_host) return;
      for (std::int64_t ns = begin; ns < end; ++ns) {
        std::size_t kind = 0;
        const auto raw = static_cast<std::size_t>(ns + shift);
        while (kind < 4 && (raw >= 400 || !active[kind][raw])) ++kind;
        ++expected[kind];
      }
    });
    CHECK(host.times(window, idle_host(ledger, window)) == expected);
  }
}

TEST_CASE("has no host causes without GPU work or without launches") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  const auto cpu = events.build();
  CHECK(kino::HostCauses(*cpu, kino::TimeAttribution(*cpu), {}).times({0, 10}, 0) == kino::HostTimes{});
  events.kernel("gemm", 0, 10).kernel("gemm", 30, 10);
  call(events, "cudaDeviceSynchronize", 12, 10);
  const auto trace = events.build();
  const kino::TimeAttribution ledger(*trace);
  const kino::HostTimes times = kino::HostCauses(*trace, ledger, kino::find_blocking_calls(*trace))
                                    .times({0, 40}, idle_host(ledger, {0, 40}));
  CHECK(of(times, HostCause::other) == 20);
}
