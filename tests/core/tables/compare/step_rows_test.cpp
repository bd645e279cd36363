// Covers: step_rows
// Names, sums, means and ceilings of the rows of a step's ledger.
#include "core/tables/compare/step_rows.hpp"

#include <doctest/doctest.h>

using kino::StepRow;

TEST_CASE("each rung of the ceiling takes rows away, and reports the time without a known limit") {
  kino::StepTimes times;
  times[StepRow::matrix_peak] = 10;
  times[StepRow::matrix_loss] = 20;
  times[StepRow::memory_unknown] = 5;
  times[StepRow::recompute] = 7;
  times[StepRow::comm_unsplit] = 30;
  times[StepRow::idle_python] = 28;
  const kino::StepCeiling ceiling = kino::step_ceiling(times);
  CHECK(ceiling.measured_ns == 100);
  CHECK(ceiling.no_idle_ns == 72);
  CHECK(ceiling.no_exposed_ns == 42);
  CHECK(ceiling.no_recompute_ns == 35);
  CHECK(ceiling.at_roof_ns == 15);
  CHECK(ceiling.unknown_ns == 5);
}

TEST_CASE("each row has its own name, and other names are no rows") {
  for (std::size_t i = 0; i < kino::kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    CHECK(kino::step_row_named(kino::text_of(row)) == row);
  }
  CHECK_FALSE(kino::step_row_named("idle:host").has_value());
}

TEST_CASE("the rows of a mean add up to the mean length") {
  kino::StepTimes sum;
  sum[StepRow::matrix_peak] = 100;
  sum[StepRow::copy] = 100;
  sum[StepRow::idle_tail] = 100;
  const kino::StepTimes mean = sum.mean(7);
  CHECK(mean.total() == 300 / 7);
  CHECK(mean[StepRow::matrix_peak] == 14);
}
