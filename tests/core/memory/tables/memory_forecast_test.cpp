// Covers: memory_forecast
#include "core/memory/tables/memory_forecast.hpp"

#include <random>

#include <doctest/doctest.h>

#include "core/memory/tables/snapshot_tables.hpp"
#include "tests/fixtures/snapshot_fixture.hpp"

namespace {

using kino::MemoryForecast;
using kino::NoForecastReason;
using kino::SnapshotAction;
using Peaks = std::vector<std::uint64_t>;

constexpr std::uint64_t kThousand = 1000;

Peaks rising(std::size_t count, std::uint64_t from, std::uint64_t by) {
  Peaks peaks;
  for (std::size_t i = 0; i < count; ++i) peaks.push_back(from + i * by);
  return peaks;
}

}  // namespace

TEST_CASE("the line through peaks is a least-squares fit with an interval by Student's t") {
  CHECK_FALSE(kino::fit_growth(Peaks{1, 2}));
  const auto fit = kino::fit_growth(Peaks{1, 3, 2, 5, 4});
  REQUIRE(fit);
  CHECK(fit->per_step == doctest::Approx(0.8));
  CHECK(fit->last == doctest::Approx(4.6));
  CHECK(fit->r_squared == doctest::Approx(0.64));
  // sqrt(3.6 / 3 / 10) times 3.182, for three degrees of freedom.
  CHECK(fit->error == doctest::Approx(1.1024).epsilon(0.01));
  const auto flat = kino::fit_growth(Peaks{7, 7, 7});
  REQUIRE(flat);
  CHECK(flat->per_step == 0);
  CHECK(flat->r_squared == 0);
}

TEST_CASE("steady growth after the first step runs out when the capacity is used") {
  Peaks peaks = rising(10, 100 * kThousand, kThousand);
  peaks.insert(peaks.begin(), 500);
  const MemoryForecast forecast = kino::forecast_of(peaks, true, 209 * kThousand);
  CHECK(forecast.doubt == NoForecastReason::none);
  CHECK(forecast.fit.steps == 10);
  REQUIRE(forecast.steps_left);
  CHECK(*forecast.steps_left == doctest::Approx(100));
  CHECK(forecast.least_steps == doctest::Approx(100));
  CHECK(kino::forecast_notes(forecast, kino::ByteUnits::decimal).size() == 2);
  CHECK_FALSE(kino::forecast_of(peaks, true, {}).steps_left);
  CHECK(kino::forecast_of(peaks, true, 5).steps_left == 0);
}

TEST_CASE("there is no forecast without steps, for few steps, without growth, and for slowing growth") {
  const Peaks steady = rising(12, 100 * kThousand, kThousand);
  CHECK(kino::forecast_of(steady, false, {}).doubt == NoForecastReason::no_steps);
  CHECK(kino::forecast_of({}, true, {}).doubt == NoForecastReason::few_steps);
  CHECK(kino::forecast_of(rising(8, 1, 1), true, {}).doubt == NoForecastReason::few_steps);
  CHECK(kino::forecast_of(rising(12, 100, 0), true, {}).doubt == NoForecastReason::flat);
  Peaks falling(steady.rbegin(), steady.rend());
  CHECK(kino::forecast_of(falling, true, {}).doubt == NoForecastReason::flat);
  // Growth below 0.1 % of the peak does not count.
  CHECK(kino::forecast_of(rising(12, 100'000 * kThousand, 1), true, {}).doubt == NoForecastReason::flat);
  Peaks slowing;
  for (std::size_t i = 0; i < 20; ++i) slowing.push_back(1000 + std::min<std::size_t>(i, 11) * 100);
  const NoForecastReason doubt = kino::forecast_of(slowing, true, {}).doubt;
  CHECK((doubt == NoForecastReason::slows || doubt == NoForecastReason::noise));
  for (const NoForecastReason of :
       {NoForecastReason::no_steps, NoForecastReason::few_steps, NoForecastReason::flat,
        NoForecastReason::noise, NoForecastReason::slows}) {
    MemoryForecast told;
    told.doubt = of;
    CHECK(kino::forecast_notes(told, kino::ByteUnits::decimal).size() == 1);
  }
}

TEST_CASE("noise is not growth") {
  std::mt19937 random(11);
  int forecasts = 0;
  for (int round = 0; round < 2000; ++round) {
    Peaks peaks;
    for (int i = 0; i < 9 + round % 20; ++i) peaks.push_back(1'000'000 + random() % 200'000);
    if (kino::forecast_of(peaks, true, 10'000'000).doubt == NoForecastReason::none) ++forecasts;
  }
  CHECK(forecasts <= 1);
}

TEST_CASE("a device's forecast uses the peaks of its steps and the capacity from its out-of-memory error") {
  std::vector<kino_test::EntryRow> rows;
  kino::SnapshotSteps steps;
  steps.region = "ProfilerStep";
  for (std::uint64_t step = 0; step < 10; ++step) {
    rows.push_back({SnapshotAction::alloc, 0x100000 + 0x10000 * step, 1000});
    rows.push_back({SnapshotAction::alloc, 0x900000, 50'000});
    rows.push_back({SnapshotAction::free_requested, 0x900000, 50'000});
    rows.push_back({SnapshotAction::free_completed, 0x900000, 50'000});
    steps.ends.push_back(static_cast<kino::EventIndex>(rows.size()) - 1);
  }
  const MemoryForecast without = kino::memory_forecast(kino_test::device_of(rows), steps, {});
  CHECK(without.doubt == NoForecastReason::none);
  CHECK(without.fit.per_step == doctest::Approx(1000));
  CHECK(without.last == 60'000);
  CHECK_FALSE(without.capacity);
  rows.push_back({SnapshotAction::oom, 80'000, 5000});
  const MemoryForecast with = kino::memory_forecast(kino_test::device_of(rows), steps, {});
  CHECK(with.capacity_from_oom);
  CHECK(with.capacity == 80'000);
  CHECK(*with.steps_left == doctest::Approx(20));
  CHECK(kino::memory_forecast(kino_test::device_of(rows), steps, 70'000).steps_left == doctest::Approx(10));
}
