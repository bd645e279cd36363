// Covers: busy_profile
#include "core/trace/timeline/busy_profile.hpp"

#include <random>
#include <string>
#include <vector>

#include "core/trace/row_window.hpp"
#include "tests/fixtures/event_fixture.hpp"

using kino::BusyIndex;
using kino::BusyProfile;
using kino::EventFixture;
using kino::SliceKind;
using kino::TimeRange;
using kino::Trace;

namespace {

BusyIndex index_of_trace(const Trace& trace) {
  auto index = BusyIndex::build(trace);
  REQUIRE(index.ok());
  return std::move(index.value());
}

using Curve = std::vector<float>;

}  // namespace

TEST_CASE("a kind is busy if any stream runs it, and CPU density counts threads") {
  EventFixture events;
  events.kernel("gemm", 0, 15)
      .kernel("gemm", 5, 15, 0, "8")
      .kernel("ncclDevKernel_AllReduce", 20, 10, 0, "9");
  events.slice(kino::TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD", 30, 5, "7");
  events.op("a", 0, 20, "1").op("child", 5, 5, "1").op("b", 10, 30, "2");
  const auto trace = events.build();
  const BusyIndex index = index_of_trace(*trace);
  const BusyProfile profile = index.profile({0, 40}, 4);
  CHECK(profile.compute == Curve{1, 1, 0, 0});
  CHECK(profile.communication == Curve{0, 0, 1, 0});
  CHECK(profile.copy == Curve{0, 0, 0, 0.5F});
  CHECK(profile.cpu_density == Curve{1, 2, 1, 1});
  CHECK(index.profile({-100, 0}, 2).compute == Curve{0, 0});
  CHECK(index.profile({35, 1000}, 1).compute == Curve{0});
}

TEST_CASE("bins narrower than a ns, an empty range and a trace without GPU have no NaN") {
  EventFixture events;
  events.op("a", 0, 10);
  const auto trace = events.build();
  const BusyIndex index = index_of_trace(*trace);
  CHECK(index.profile({0, 2}, 4).cpu_density == Curve{0, 1, 0, 1});
  CHECK(index.profile({5, 5}, 2).cpu_density == Curve{0, 0});
  CHECK(index.profile({0, 10}, 0).cpu_density.empty());
  CHECK(index.profile({0, 10}, 1).compute == Curve{0});
  const Trace empty;
  CHECK(index_of_trace(empty).profile({0, 10}, 1).cpu_density == Curve{0});
}

TEST_CASE("a stop request ends the build with 'cancelled'") {
  EventFixture events;
  for (int i = 0; i < 70'000; ++i) events.kernel("k", i, 1);
  const auto trace = events.build();
  std::stop_source stop;
  stop.request_stop();
  const auto built = BusyIndex::build(*trace, stop.get_token());
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().kind == kino::Error::Kind::cancelled);
}

TEST_CASE("bins agree with counting nanoseconds on random traces, also with many slices of one start") {
  std::mt19937 random(51);
  for (int round = 0; round < 60; ++round) {
    EventFixture events;
    const int span = round % 3 == 0 ? 40 : 3000;
    const unsigned streams = round % 4 == 1 ? 4 * BusyIndex::kManyRows : 3;
    for (int i = 0; i < 700; ++i) {
      const auto start = static_cast<std::int64_t>(random() % static_cast<unsigned>(span));
      const auto duration = static_cast<std::int64_t>(random() % 30);
      switch (random() % 4) {
        case 0:
          events.op("op", start, duration, std::to_string(random() % 3));
          break;
        case 1:
          events.slice(kino::TrackClass::gpu, "gpu_memset", "Memset", start, duration,
                       std::to_string(random() % streams));
          break;
        default:
          events.kernel(random() % 3 == 0 ? "ncclKernel" : "gemm", start, duration, 0,
                        std::to_string(random() % streams));
      }
    }
    const auto built = events.build();
    const Trace& trace = *built;
    const auto length = static_cast<std::size_t>(span) + 100;
    std::vector<std::vector<int>> busy(4, std::vector<int>(length, 0));
    for (const kino::Row& row : trace.rows) {
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        const SliceKind kind = trace.slices.kind[i];
        for (std::int64_t t = trace.slices.start_ns[i]; t < trace.end_ns(kino::SliceId{i}); ++t) {
          if (kino::is_gpu_work(kind)) busy[static_cast<std::size_t>(kind)][static_cast<std::size_t>(t)] = 1;
          if (kind == SliceKind::cpu_op && row.lane == 0) ++busy[3][static_cast<std::size_t>(t)];
        }
      }
    }
    const auto begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(span)) - 20;
    const TimeRange range{begin,
                          begin + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(span))};
    const std::uint32_t bins = 1 + static_cast<std::uint32_t>(random() % 300);
    const BusyProfile profile = index_of_trace(trace).profile(range, bins, {}, 2);
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
      const std::int64_t left = kino::bin_edge_ns(range, bins, bin);
      const std::int64_t right = kino::bin_edge_ns(range, bins, bin + 1);
      std::vector<double> share(4, 0);
      for (std::size_t kind = 0; kind < 4 && left < right; ++kind) {
        for (std::int64_t t = std::max<std::int64_t>(0, left); t < right; ++t) {
          if (static_cast<std::size_t>(t) < length) share[kind] += busy[kind][static_cast<std::size_t>(t)];
        }
        share[kind] /= static_cast<double>(right - left);
      }
      REQUIRE(profile.compute[bin] == static_cast<float>(share[0]));
      REQUIRE(profile.communication[bin] == static_cast<float>(share[1]));
      REQUIRE(profile.copy[bin] == static_cast<float>(share[2]));
      REQUIRE(profile.cpu_density[bin] == static_cast<float>(share[3]));
    }
  }
}

TEST_CASE("threads with many and with few slices add up") {
  EventFixture events;
  const auto many = static_cast<std::int64_t>(BusyIndex::kShortRow) + 100;
  for (std::int64_t i = 0; i < many; ++i) events.op("a", 4 * i, 2, "1");
  events.op("b", 0, 4 * many, "2").op("c", 4, 8, "3");
  const auto trace = events.build();
  const BusyProfile profile = index_of_trace(*trace).profile({0, 4 * many}, static_cast<std::uint32_t>(many));
  CHECK(profile.cpu_density[0] == 1.5F);
  CHECK(profile.cpu_density[1] == 2.5F);
  CHECK(profile.cpu_density[2] == 2.5F);
  CHECK(profile.cpu_density[3] == 1.5F);
  CHECK(profile.cpu_density.back() == 1.5F);
}

TEST_CASE("a hundred thousand threads and streams cost no more than their slices") {
  EventFixture events;
  for (int i = 0; i < 100'000; ++i) {
    events.op("a", i, 1, std::to_string(i)).kernel("k", i, 1, 0, std::to_string(i));
  }
  const auto trace = events.build();
  // A search in each row at each edge would be 4e8 searches.
  const BusyProfile profile = index_of_trace(*trace).profile({0, 100'000}, 2000);
  CHECK(profile.cpu_density == Curve(2000, 1));
  CHECK(profile.compute == Curve(2000, 1));
}
