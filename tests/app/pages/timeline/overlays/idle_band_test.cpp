// Covers: idle_band, idle_reasons
#include "app/pages/timeline/overlays/idle_band.hpp"

#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "app/pages/timeline/overlays/idle_reasons.hpp"

using namespace kino;

TEST_CASE("the visible gaps are those of at least 2 px in view (brute force)") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimeRange> gaps;
    std::int64_t end = 0;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t begin = end + 1 + random() % (random() % 3 == 0 ? 4000 : 20);
      end = begin + 1 + random() % (random() % 3 == 0 ? 4000 : 20);
      gaps.push_back({begin, end});
    }
    const double ns_per_px = 1 + random() % 100;
    const TimeView view{static_cast<double>(random() % 5000), ns_per_px, 100};
    std::vector<TimeRange> expected;
    for (const TimeRange& gap : gaps) {
      const bool wide = static_cast<double>(gap.length_ns()) >= 2 * view.ns_per_px;
      const bool seen = static_cast<double>(gap.end_ns) > view.begin_ns &&
                        static_cast<double>(gap.begin_ns) < view.end_ns();
      if (wide && seen) expected.push_back(gap);
    }
    const std::vector<TimeRange> found = visible_gaps(BusyLine(gaps), view);
    CAPTURE(round);
    CHECK(found == expected);
  }
}

TEST_CASE("no gaps are visible outside of the recorded time, or if there are none") {
  CHECK(visible_gaps(BusyLine(), {0, 1, 100}).empty());
  const std::vector<TimeRange> one{{100, 200}};
  CHECK(visible_gaps(BusyLine(one), {300, 1, 100}).empty());
  CHECK(visible_gaps(BusyLine(one), {-300, 1, 100}).empty());
  CHECK(visible_gaps(BusyLine(one), {-1e30, 1e28, 100}).empty());
}

TEST_CASE("the parts of a gap are visited from left to right and fill it") {
  GpuIdle idle;
  const std::vector<TimeRange> gaps{{100, 300}};
  const std::vector<TimeRange> late{{100, 150}, {250, 300}};
  const std::vector<TimeRange> loader{{150, 250}};
  idle.gaps = BusyLine(gaps);
  idle.reasons[static_cast<std::size_t>(IdleReason::late_launch)] = BusyLine(late);
  idle.reasons[static_cast<std::size_t>(IdleReason::loader)] = BusyLine(loader);
  std::vector<IdleReason> reasons;
  double at = 0;
  GpuIdle::Near near{};
  visit_idle_parts(idle, gaps.front(), {100, 10, 15}, near,
                   [&](const GpuIdle::Part& part, double left, double right) {
                     reasons.push_back(part.reason);
                     CHECK(left == at);
                     at = right;
                   });
  CHECK(at == 15);  // the end of the view
  CHECK(reasons == std::vector<IdleReason>{IdleReason::late_launch, IdleReason::loader});
  // At 1000 ns per px, all parts share a px.
  reasons.clear();
  near = {};
  visit_idle_parts(idle, gaps.front(), {0, 1000, 15}, near,
                   [&](const GpuIdle::Part& part, double, double) { reasons.push_back(part.reason); });
  CHECK(reasons.size() == 1);
}

TEST_CASE("the legend distinguishes the reasons for idle time from each other and from slices") {
  std::set<std::uint32_t> keys;
  for (std::size_t i = 0; i < kIdleReasonCount; ++i) keys.insert(idle_key(static_cast<IdleReason>(i)));
  CHECK(keys.size() == kIdleReasonCount);
  CHECK(*keys.begin() > 0x8000'0000U);
  for (const bool dark : {false, true}) {
    const Theme theme = Theme::make(dark);
    CHECK(idle_color(IdleReason::loader, theme) != idle_color(IdleReason::late_launch, theme));
    CHECK(idle_color(IdleReason::late_launch, theme) != idle_color(IdleReason::launching, theme));
  }
}

TEST_CASE("reasons name the device of the trace") {
  CHECK(reason_text(IdleReason::sync, "NPU") == "CPU waits for the NPU");
  CHECK(reason_text(IdleReason::loader, "NPU") == "data loader");
}
