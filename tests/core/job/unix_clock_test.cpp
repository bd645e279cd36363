// Covers: unix_clock
// Unix time ranges of traces and snapshots, and their overlap.
#include "core/job/unix_clock.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/snapshot_fixture.hpp"

using namespace kino;
using kino_test::device_of;

namespace {

constexpr std::int64_t kThen = 1'743'406'976'000'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

ClockRange clock_at(std::int64_t origin_unix_ns, std::int64_t length_ns) {
  return {origin_unix_ns, {0, length_ns}};
}

SnapshotDevice device_at(std::int64_t first_us, std::int64_t second_us) {
  return device_of(
      {{SnapshotAction::alloc, 0x1000, 512, first_us}, {SnapshotAction::alloc, 0x2000, 512, second_us}});
}

}  // namespace

TEST_CASE("recordings share a clock if both have Unix times and overlap") {
  const ClockRange a = clock_at(kThen, kSecond);
  CHECK(is_same_clock(a, clock_at(kThen + kSecond - 1, kSecond)));
  CHECK_FALSE(is_same_clock(a, clock_at(kThen + kSecond, kSecond)));
  CHECK_FALSE(is_same_clock(a, clock_at(kThen - 2 * kSecond, kSecond)));
  CHECK_FALSE(is_same_clock(clock_at(0, kSecond), clock_at(0, kSecond)));  // counted from boot
  CHECK_FALSE(is_same_clock(a, clock_at(0, kSecond)));
  CHECK_FALSE(is_same_clock(a, {INT64_MAX, {0, kSecond}}));
}

TEST_CASE("a snapshot's clock begins at its first entry, and requires ascending times") {
  const auto clock = clock_of(device_at(kThen / 1000, kThen / 1000 + 250));
  REQUIRE(clock);
  CHECK(*clock == clock_at(kThen, 250'000));
  CHECK_FALSE(clock_of(device_at(SnapshotEntries::kNoTime, SnapshotEntries::kNoTime)));
  CHECK_FALSE(clock_of(device_at(kThen / 1000, kThen / 1000)));
  CHECK_FALSE(clock_of(device_at(kThen / 1000, kThen / 1000 - 250)));
  CHECK_FALSE(clock_of(device_at(-5, 250)));
  CHECK_FALSE(clock_of(SnapshotDevice{}));
  CHECK(clock_of(device_at(INT64_MAX - 5, INT64_MAX)));  // not beyond 64 bits
}

TEST_CASE("a trace and a snapshot share a clock if a device overlaps the trace") {
  Trace trace;
  trace.origin_unix_ns = kThen;
  trace.content = trace.range = {0, kSecond};
  Snapshot snapshot;
  snapshot.devices.push_back(device_at(kThen / 1000 - 5'000'000, kThen / 1000 - 4'000'000));
  CHECK_FALSE(is_same_clock(trace, snapshot));
  snapshot.devices.push_back(device_at(kThen / 1000 - 1000, kThen / 1000 + 1000));
  CHECK(is_same_clock(trace, snapshot));
  CHECK_FALSE(unix_fit(snapshot.devices[0], trace));
  const auto fit = unix_fit(snapshot.devices[1], trace);
  REQUIRE(fit);
  CHECK(fit->second_from_first(0) == -1'000'000);
  CHECK(fit->first_from_second(0) == 1'000'000);
  CHECK(fit->evidence == ClockEvidence::unix_time);
  CHECK(fit->uncertainty_ns == kUnixUncertaintyNs);
  CHECK(fit->drift_ppb == 0);
  CHECK(unix_fit(ClockRange{INT64_MAX, {}}, ClockRange{INT64_MIN, {}}).offset_ns == INT64_MAX);
}
