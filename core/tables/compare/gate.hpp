// Conditions under which a comparison fails: "step>+2%", "kernels{operator:aten::copy_}>0".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/row_filter.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

enum class GateMetric : std::uint8_t {
  // Noisy metrics: times, and metrics that depend on times.
  step,
  compute,
  comm,
  copy,
  idle,
  idle_host,
  idle_launch,
  idle_loader,
  idle_sync,  ///< part of idle_host, like the three metrics below
  idle_malloc,
  idle_gc,
  idle_lock,
  kernel_time,  ///< summed time of compute and communication rows
  busy,         ///< time in which GPU work runs
  mfu,          ///< model FLOPs utilization: share of the devices' peak
  hfu,          ///< hardware FLOPs utilization
  ceiling,      ///< length of the step at the limits of the device, see StepCeiling::at_roof_ns
  ledger,       ///< row of the step ledger, see GateCondition::row
  // Exact metrics: counts and bytes.
  kernels,
  launches,
  syncs,
  graph_launches,
  bytes_comm,
  memory_peak,
};
inline constexpr std::array<std::string_view, 24> kGateMetricNames{
    "step",         "compute",        "comm",        "copy",           "idle",
    "idle:host",    "idle:launch",    "idle:loader", "idle:host:sync", "idle:host:malloc",
    "idle:host:gc", "idle:host:lock", "kernel_time", "busy",           "mfu",
    "hfu",          "ceiling",        "ledger:ROW",  "kernels",        "launches",
    "syncs",        "graph_launches", "bytes_comm",  "memory_peak"};
constexpr bool is_exact(GateMetric metric) { return metric >= GateMetric::kernels; }

/// Whether the metric is computed from step ledgers, which a record contains only if they were requested.
constexpr bool needs_ledger(GateMetric metric) {
  return metric >= GateMetric::hfu && metric <= GateMetric::ledger;
}

enum class GateUnit : std::uint8_t { count, percent, ms, megabytes };

/// Limit on the change of a metric's mean per step.
struct GateCondition {
  std::string text;  ///< as written by the user
  GateMetric metric{};
  std::string filter;
  bool above = true;       ///< whether the operator is > or >=, not < or <=
  bool equal_too = false;  ///< whether the operator is >= or <=
  double value = 0;        ///< in `unit`
  GateUnit unit = GateUnit::count;
  StepRow row{};  ///< only for GateMetric::ledger

  bool beyond(double change) const {
    if (equal_too && change == value) return true;
    return above ? change > value : change < value;
  }
};

/// Parses METRIC[{FILTER}] OP VALUE[%|ms|MB]. Fails with a message on the part that cannot be parsed.
/// O(length).
Result<GateCondition> parse_gate(std::string_view text);
/// Parsed condition whose metric is any name, for callers that define other metrics. `metric` is the text
/// before the filter, without surrounding spaces. `fields` are those of RowFilter::compile().
struct GateParts {
  std::string metric;
  GateCondition condition;
};
Result<GateParts> parse_gate_parts(std::string_view text, std::span<const std::string_view> fields);

enum class GateResult : std::uint8_t { passed, failed, inconclusive };

struct GateOutcome {
  GateResult result = GateResult::passed;
  double a = 0;  ///< mean per step in A: ns, bytes, a count, or millionths for `mfu` and `hfu`; maximum
                 ///< for `memory_peak`
  double b = 0;
  double change = 0;    ///< in the condition's unit
  double p = kNoRatio;  ///< p of the test; only for noisy metrics
  Message sentence;
};

/// Checks a condition. A noisy metric fails if its change is beyond the value and the test finds a difference
/// (p < 0.05, four samples per side). If only the change is beyond the value, the result is inconclusive. An
/// exact metric fails if its change is beyond the value. The result is also inconclusive if the metric is
/// unknown in a window (`memory_peak`: in all windows of a side). For `step`, uses the test of the verdict.
/// O(rows * windows).
GateOutcome check_gate(const GateCondition& condition, const RunRecord& a, const RunRecord& b,
                       const RunComparison& comparison);

/// Returns the reason why the step ledgers of two runs cannot be compared; empty if both runs have them.
/// O(windows).
Message reason_without_ledger(const RunRecord& a, const RunRecord& b);

/// Like check_gate(), for the samples of any metric; needs no RunComparison. `exact`: the metric is exact, so
/// there is no significance test.
GateOutcome check_gate_samples(const GateCondition& condition, const std::vector<std::int64_t>& a,
                               const std::vector<std::int64_t>& b, bool exact);

}  // namespace kino
