#include "core/tables/ledger/step_rows.hpp"

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

}  // namespace kino
