#include "core/tables/compare/step_rows.hpp"

#include <algorithm>
#include <numeric>

namespace kino {
namespace {

constexpr std::array<std::string_view, kStepRowCount> kRowNames{
    "matrix:peak",    "matrix:memory", "matrix:loss", "matrix:unknown", "memory:roof",  "memory:loss",
    "memory:unknown", "recompute",     "optimizer",   "kernel:other",   "comm:waiting", "comm:moving",
    "comm:unsplit",   "comm:p2p",      "copy",        "idle:launch",    "idle:loader",  "idle:sync",
    "idle:malloc",    "idle:gc",       "idle:lock",   "idle:dispatch",  "idle:python",  "idle:silent",
    "idle:bubble",    "idle:unknown",  "idle:tail"};

}  // namespace

std::string_view text_of(StepRow row) { return kRowNames[static_cast<std::size_t>(row)]; }

std::optional<StepRow> step_row_named(std::string_view name) {
  const auto found = std::ranges::find(kRowNames, name);
  if (found == kRowNames.end()) return std::nullopt;
  return static_cast<StepRow>(found - kRowNames.begin());
}

std::int64_t StepTimes::total() const { return std::accumulate(ns_.begin(), ns_.end(), std::int64_t{0}); }

StepTimes& StepTimes::operator+=(const StepTimes& other) {
  for (std::size_t row = 0; row < kStepRowCount; ++row) ns_[row] += other.ns_[row];
  return *this;
}

StepTimes StepTimes::mean(std::int64_t count) const {
  StepTimes result;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    const std::int64_t after = before + (*this)[row];
    result[row] = after / count - before / count;
    before = after;
  }
  return result;
}

StepCeiling step_ceiling(const StepTimes& times) {
  StepCeiling ceiling;
  ceiling.measured_ns = times.total();
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    const std::int64_t ns = times[row];
    if (is_idle(row)) continue;
    ceiling.no_idle_ns += ns;
    if (is_exposed(row)) continue;
    ceiling.no_exposed_ns += ns;
    if (row == StepRow::recompute) continue;
    ceiling.no_recompute_ns += ns;
    if (row == StepRow::matrix_loss || row == StepRow::memory_loss) continue;
    ceiling.at_roof_ns += ns;
    const bool known =
        row == StepRow::matrix_peak || row == StepRow::matrix_memory || row == StepRow::memory_roof;
    if (!known) ceiling.unknown_ns += ns;
  }
  return ceiling;
}

}  // namespace kino
