// Covers: derived_counters, counter_curve, lod_tile, copy_table, gpu_metrics, queue_length,
//   memory_table
// Derived counters compared with the tables' figures, and their means with brute force.
#include "core/trace/timeline/derived_counters.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "core/tables/gpu/copy_table.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/queue_length.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/trace/timeline/lod_tile.hpp"
#include "tests/fixtures/event_fixture.hpp"

namespace {

using kino::CounterRow;
using kino::CounterTracks;
using kino::DerivedCounter;
using kino::EventFixture;
using kino::TimeRange;
using kino::Trace;
using kino::TrackClass;

/// Two streams with random kernels and copies, and allocations.
std::shared_ptr<const Trace> random_job(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  EventFixture events;
  std::int64_t launched = 0;
  std::int64_t free_at[] = {0, 0};
  for (std::uint32_t i = 1; i <= 200; ++i) {
    launched += 1 + below(40);
    events.launch(launched, 1, i);
    const auto stream = static_cast<std::size_t>(below(2));
    const std::int64_t start = std::max(launched + 2 + below(300), free_at[stream] + below(20));
    const std::int64_t length = 1 + below(60);
    free_at[stream] = start + length;
    const std::string tid = stream == 0 ? "7" : "20";
    if (below(4) == 0) {
      events.slice(TrackClass::gpu, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", start, length, tid, i)
          .told({{'w', std::to_string(1 + below(20))}});
    } else {
      events.kernel("gemm", start, length, i, tid).told({{'B', std::to_string(0.1 * (1 + below(20)))}});
    }
    events.memory(launched, below(3) == 0 ? -50 : 100, 0x1000 + i);
  }
  return events.build();
}

std::vector<std::uint32_t> of_kind(const CounterTracks& counters, DerivedCounter kind) {
  std::vector<std::uint32_t> tracks;
  for (std::uint32_t i = 0; i < counters.tracks.size(); ++i) {
    if (counters.kinds[i] == kind) tracks.push_back(i);
  }
  return tracks;
}

/// The number of launched pieces of work of a GPU that wait at a time, by definition.
std::int64_t waiting_at(const Trace& trace, std::int64_t time_ns) {
  std::int64_t waiting = 0;
  for (std::uint32_t i = 0; i < trace.slice_count(); ++i) {
    const kino::SliceId launch = trace.slices.link[i];
    if (!kino::is_gpu_work(trace.slices.kind[i]) || launch == kino::kNoSlice) continue;
    waiting += trace.slices.start_ns[kino::index_of(launch)] <= time_ns ? 1 : 0;
    waiting -= trace.slices.start_ns[i] <= time_ns ? 1 : 0;
  }
  return waiting;
}

double most(const CounterRow& row) { return *std::max_element(row.value.begin(), row.value.end()); }

}  // namespace

TEST_CASE("the mean or maximum of a derived counter equals the figure in its table") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const auto trace = random_job(seed);
    const TimeRange whole = kino::whole_range(*trace);
    const kino::GpuWork work = kino::gpu_work_in(*trace, whole);
    const CounterTracks counters = kino::derived_counters(*trace);
    const auto metrics = kino::gpu_metrics(*trace, work, whole);
    REQUIRE(metrics.size() == 1);
    const auto use = of_kind(counters, DerivedCounter::utilization);
    REQUIRE(use.size() == 1);
    CHECK(counters.row(use[0]).mean(whole.begin_ns, whole.end_ns) ==
          doctest::Approx(metrics[0].utilization).epsilon(1e-12));
    const auto efficiency = of_kind(counters, DerivedCounter::sm_efficiency);
    REQUIRE(efficiency.size() == 1);
    CHECK(counters.row(efficiency[0]).mean(whole.begin_ns, whole.end_ns) ==
          doctest::Approx(metrics[0].sm_efficiency).epsilon(1e-12));
    // For a part of the trace.
    const TimeRange part{whole.begin_ns + 700, whole.begin_ns + 2500};
    const auto part_metrics = kino::gpu_metrics(*trace, kino::gpu_work_in(*trace, part), part);
    CHECK(counters.row(use[0]).mean(part.begin_ns, part.end_ns) ==
          doctest::Approx(part_metrics.at(0).utilization).epsilon(1e-12));
    CHECK(counters.row(efficiency[0]).mean(part.begin_ns, part.end_ns) ==
          doctest::Approx(part_metrics.at(0).sm_efficiency).epsilon(1e-12));

    const auto queues = of_kind(counters, DerivedCounter::queue_length);
    const auto queue_rows = kino::queue_rows(*trace, work);
    REQUIRE(queues.size() == queue_rows.size());
    for (std::size_t i = 0; i < queues.size(); ++i) {
      CHECK(most(counters.row(queues[i])) == static_cast<double>(queue_rows[i].max));
      CHECK(counters.row(queues[i]).value.size() == queue_rows[i].points);
      CHECK(counters.places[queues[i]].beside == kino::index_of(queue_rows[i].track));
    }
    const auto copies = of_kind(counters, DerivedCounter::copy_bandwidth);
    const auto copy_rows = kino::copy_rows(*trace, work, whole);
    REQUIRE(copies.size() == 1);
    CHECK(most(counters.row(copies[0])) == copy_rows.at(0).peak);
    CHECK(counters.row(copies[0]).value.back() == 0);
    const auto memory = of_kind(counters, DerivedCounter::memory);
    const auto devices = kino::memory_devices(*trace, whole);
    REQUIRE(memory.size() == devices.size());
    CHECK(most(counters.row(memory[0])) == static_cast<double>(devices[0].peak_bytes));
  }
}

TEST_CASE("a trace without a GPU or allocations has no derived counters") {
  CHECK(kino::derived_counters(*EventFixture().op("aten::add", 0, 10).build()).tracks.empty());
  CHECK(kino::derived_counters(Trace{}).tracks.empty());
}

TEST_CASE("kernels without launch configurations have a utilization but no SM efficiency") {
  const auto trace = EventFixture().kernel("gemm", 0, 10).kernel("gemm", 30, 10).build();
  const CounterTracks counters = kino::derived_counters(*trace);
  REQUIRE(counters.tracks.size() == 1);
  const CounterRow row = counters.row(0);
  CHECK(std::vector<std::int64_t>(row.time_ns.begin(), row.time_ns.end()) ==
        std::vector<std::int64_t>{0, 10, 30, 40});
  CHECK(row.mean(0, 40) == 0.5);
  CHECK(row.mean(5, 15) == 0.5);
  CHECK(row.mean(-10, 10) == 0.5);
  CHECK(row.mean(40, 1000) == 0);
}

TEST_CASE("tiles of means are consistent at every level") {
  std::mt19937 random(7);
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::int64_t now = -5000;
  for (int i = 0; i < 3000; ++i) {
    times.push_back(now += 1 + static_cast<std::int64_t>(random() % 9));
    values.push_back(static_cast<double>(random() % 2));
  }
  values.back() = 0;
  const std::vector<double> integral = kino::curve_integral(times, values);
  const CounterRow row{times, values, integral};
  double slow = 0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    slow += values[i] * static_cast<double>(times[i + 1] - times[i]);
  CHECK(row.integral_until(times.back() + 100) == slow);
  for (int level = 0; level < 8; ++level) {
    double sum = 0;
    for (std::int64_t number = kino::TilePlace::at(level, times.front()).number;
         number <= kino::TilePlace::at(level, times.back()).number; ++number) {
      std::vector<kino::CounterInstance> instances;
      kino::emit_means(row, {level, number}, instances);
      REQUIRE_FALSE(instances.empty());
      CHECK(instances.size() <= kino::kTileBins);
      CHECK(instances.back().x1_ns == static_cast<float>(kino::TilePlace{level, number}.length_ns()));
      for (std::size_t i = 0; i < instances.size(); ++i) {
        if (i > 0) CHECK(instances[i].x0_ns == instances[i - 1].x1_ns);
        CHECK(instances[i].min_value == instances[i].max_value);
        sum += static_cast<double>(instances[i].x1_ns - instances[i].x0_ns) *
               static_cast<double>(instances[i].max_value);
      }
    }
    CHECK(sum == doctest::Approx(slow).epsilon(1e-6));
  }
}

TEST_CASE("the queue of all streams of a GPU is the sum of theirs; a GPU with one stream has none") {
  for (const unsigned seed : {5U, 6U, 7U}) {
    const auto trace = random_job(seed);
    const CounterTracks counters = kino::derived_counters(*trace);
    const auto sums = of_kind(counters, DerivedCounter::all_queues);
    REQUIRE(sums.size() == 1);
    const CounterRow row = counters.row(sums.front());
    for (std::size_t i = 0; i < row.time_ns.size(); ++i) {
      if (i + 1 < row.time_ns.size() && row.time_ns[i + 1] == row.time_ns[i]) continue;
      CHECK(row.value[i] == static_cast<double>(waiting_at(*trace, row.time_ns[i])));
    }
    CHECK_FALSE(counters.places[sums.front()].after);
  }
  const auto one = EventFixture().launch(0, 5, 1).kernel("gemm", 10, 5, 1).build();
  CHECK(of_kind(kino::derived_counters(*one), DerivedCounter::all_queues).empty());
}
