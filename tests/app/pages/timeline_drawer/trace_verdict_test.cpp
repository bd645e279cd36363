// Covers: trace_verdict, verdict_strip
// The texts of the verdict above a timeline, and the height of its strip.
#include "app/pages/timeline_drawer/trace_verdict.hpp"

#include <cstdint>
#include <memory>

#include <doctest/doctest.h>

#include "app/ui/drawer/verdict_strip.hpp"
#include "app/ui/widgets/theme.hpp"
#include "tests/fixtures/event_fixture.hpp"
#include "tests/fixtures/findings_fixture.hpp"

namespace {

using kino::EventFixture;
using kino::kMs;

/// Four steps of 100 ms. Each waits 40 ms for a data loader without workers, then one kernel computes.
std::shared_ptr<const kino::Trace> loading_steps() {
  EventFixture events;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = i * 100 * kMs;
    kino::add_profiler_step(events, i, begin, 100 * kMs);
    events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, 40 * kMs);
    events.launch(begin + 40 * kMs, 5, static_cast<std::uint32_t>(i + 1));
    events.kernel("gemm", begin + 40 * kMs, 60 * kMs, static_cast<std::uint32_t>(i + 1));
  }
  return events.build();
}

}  // namespace

TEST_CASE("the verdict names the cause in one sentence, then the advice and the base") {
  const auto trace = loading_steps();
  const kino::Theme theme = kino::Theme::make(true);
  const kino::Verdict verdict = kino::verdict_texts(kino::findings_of(*trace), theme);
  CHECK(verdict.headline == "The GPU waits for the data loader: at most 40 ms of 100 ms per step (40.0 %).");
  CHECK(kino::verdict_headline(kino::findings_of(*trace)) == verdict.headline);
  CHECK(verdict.evidence.starts_with("num_workers is 0"));
  CHECK(verdict.evidence.ends_with("Base: the mean of 4 steps (#0 to #3), 100 ms."));
  REQUIRE(verdict.rows.size() == 1);
  CHECK(verdict.rows[0].name == "data loading");
  CHECK(verdict.rows[0].amount == "40 ms");
  CHECK(verdict.rows[0].share == "40.0 %");
  CHECK(verdict.edge == verdict.rows[0].color);
  CHECK_FALSE(verdict.worst.empty());
}

TEST_CASE("the verdict on a trace without findings has no button for an example") {
  EventFixture events;
  events.op("aten::mm", 0, 10 * kMs);
  const auto trace = events.build();
  const kino::Theme theme = kino::Theme::make(false);
  const kino::Verdict verdict = kino::verdict_texts(kino::findings_of(*trace), theme);
  CHECK_FALSE(verdict.headline.empty());
  CHECK(verdict.rows.empty());
  CHECK(verdict.worst.empty());
  CHECK(verdict.edge == theme.accent);
}

TEST_CASE("the strip takes one line if it is small, and less room on low pages") {
  const float small = kino::verdict_height(true, 900, 1);
  const float low = kino::verdict_height(false, 500, 1);
  const float high = kino::verdict_height(false, 900, 1);
  CHECK(small < low);
  CHECK(low < high);
  CHECK(kino::verdict_height(false, 1800, 2) == 2 * high);
}
