// Covers: flight_counters
// Counters for a trace from the dump of its rank.
#include "core/job/flight/flight_counters.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

using namespace kino;

namespace {

constexpr std::int64_t kBeginNs = 1'743'406'976'000'000'000;

/// A trace of rank 3 with a kernel of 10 us.
std::shared_ptr<const Trace> recorded(std::int64_t rank = 3) {
  auto trace = std::const_pointer_cast<Trace>(EventFixture().kernel("gemm", kBeginNs, 10'000).build());
  trace->job.rank = rank;
  return trace;
}

FlightEntry entry(std::int64_t created_ns, std::int64_t completed_ns, FlightState state) {
  FlightEntry made;
  made.created_ns = created_ns;
  made.completed_ns = completed_ns;
  made.state = state;
  return made;
}

FlightDump dump_of(std::vector<FlightEntry> entries) {
  FlightDump dump;
  dump.rank = 3;
  dump.entries = std::move(entries);
  return dump;
}

}  // namespace

TEST_CASE("counts operations of a flight recorder from enqueue to observed completion") {
  const FlightDump dump = dump_of(
      {entry(kBeginNs + 1000, kBeginNs + 4000, FlightState::completed),
       entry(kBeginNs + 2000, kBeginNs + 4000, FlightState::completed),
       entry(kBeginNs + 2500, -1, FlightState::completed),  // completed at an unknown time
       entry(kBeginNs + 5000, -1, FlightState::started), entry(kBeginNs + 6000, -1, FlightState::scheduled)});
  const CounterTracks made = flight_counters(*recorded(), dump, kBeginNs + 6000, "dump_3");
  REQUIRE(made.tracks.size() == 1);
  CHECK(made.kinds == std::vector{DerivedCounter::outstanding});
  CHECK(made.tracks[0].name == "Outstanding operations, dump_3");
  CHECK_FALSE(made.tracks[0].bytes);
  const CounterRow row = made.row(0);
  std::vector<std::pair<std::int64_t, double>> points;
  for (std::size_t i = 0; i < row.time_ns.size(); ++i) points.emplace_back(row.time_ns[i], row.value[i]);
  CHECK(points ==
        std::vector<std::pair<std::int64_t, double>>{{1000, 1}, {2000, 2}, {4000, 0}, {5000, 1}, {6000, 2}});
}

TEST_CASE("ignores dumps of another rank or another time") {
  const std::vector<FlightEntry> entries{entry(kBeginNs + 1000, -1, FlightState::started)};
  const FlightDump dump = dump_of(entries);
  CHECK(is_same_run(*recorded(), dump, kBeginNs + 2000));
  CHECK_FALSE(is_same_run(*recorded(2), dump, kBeginNs + 2000));
  CHECK_FALSE(is_same_run(*recorded(-1), dump_of({}), kBeginNs + 2000));
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const FlightDump later = dump_of({entry(kBeginNs + kHour, -1, FlightState::started)});
  CHECK_FALSE(is_same_run(*recorded(), later, kBeginNs + kHour));
  CHECK(flight_counters(*recorded(), later, kBeginNs + kHour, "d").tracks.empty());
  CHECK(flight_counters(*recorded(), dump_of({}), kBeginNs, "d").tracks.empty());
}
