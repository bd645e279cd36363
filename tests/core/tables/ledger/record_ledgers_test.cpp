// Covers: record_ledgers
// Ledgers in the record of a run: means of all GPUs that add up to each window.
#include "core/tables/ledger/record_ledgers.hpp"

#include <doctest/doctest.h>

#include "tests/fixtures/event_fixture.hpp"

TEST_CASE("each window of a record gets rows that add up to its length") {
  kino::EventFixture events;
  events.slice(kino::TrackClass::cpu, "user_annotation", "ProfilerStep#4", 0, 100, "1")
      .launch(25, 5, 1)
      .kernel("gemm", 30, 40, 1);
  const auto trace = events.build();
  std::vector<kino::RunWindow> windows(2);
  windows[0].range = {0, 100};
  windows[1].range = {40, 60};
  kino::add_ledgers(*trace, windows);
  for (const kino::RunWindow& window : windows) {
    REQUIRE(window.ledger.has_value());
    CHECK(window.ledger->total() == window.length_ns());
    CHECK(window.counts.hfu_ppm == -1);  // no shapes are recorded
  }
  CHECK((*windows[1].ledger)[kino::StepRow::matrix_unknown] == 20);
}

TEST_CASE("a trace without GPU work has no ledgers") {
  kino::EventFixture events;
  events.op("aten::mm", 0, 10);
  std::vector<kino::RunWindow> windows(1);
  windows[0].range = {0, 10};
  kino::add_ledgers(*events.build(), windows);
  CHECK_FALSE(windows[0].ledger.has_value());
}
