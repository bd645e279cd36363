// A condition under which a comparison fails: "step>+2%", "kernels{operator:aten::copy_}>0".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"
#include "core/tables/compare/row_filter.hpp"
#include "core/tables/compare/run_comparison.hpp"

namespace kino {

enum class GateMetric : std::uint8_t {
  // Noisy: times, and what depends on them.
  step,
  compute,
  comm,
  copy,
  idle,
  idle_host,
  idle_launch,
  idle_loader,
  idle_sync,  ///< of idle_host, and what follows
  idle_malloc,
  idle_gc,
  idle_lock,
  kernel_time,  ///< of kernels that compute or communicate, as the rows have it
  busy,         ///< something runs
  mfu,          ///< a share of the devices' peak
  // Exact: counts and bytes.
  kernels,
  launches,
  syncs,
  graph_launches,
  bytes_comm,
  memory_peak,
};
inline constexpr std::array<std::string_view, 21> kGateMetricNames{
    "step",         "compute",        "comm",        "copy",           "idle",
    "idle:host",    "idle:launch",    "idle:loader", "idle:host:sync", "idle:host:malloc",
    "idle:host:gc", "idle:host:lock", "kernel_time", "busy",           "mfu",
    "kernels",      "launches",       "syncs",       "graph_launches", "bytes_comm",
    "memory_peak"};
constexpr bool is_exact(GateMetric metric) { return metric >= GateMetric::kernels; }

enum class GateUnit : std::uint8_t { count, percent, ms, megabytes };

/// A change of a metric's mean a step that is too much.
struct GateCondition {
  std::string text;  ///< as it was written
  GateMetric metric{};
  std::string filter;
  bool above = true;       ///< > or >=, else < or <=
  bool equal_too = false;  ///< >= or <=
  double value = 0;        ///< in its unit
  GateUnit unit = GateUnit::count;

  bool beyond(double change) const {
    if (equal_too && change == value) return true;
    return above ? change > value : change < value;
  }
};

/// METRIC[{FILTER}] OP VALUE[%|ms|MB]. Fails with what about it cannot be read. O(length).
Result<GateCondition> parse_gate(std::string_view text);
/// The same split up, for metrics of others: what stands before the filter, without spaces, in `metric`.
struct GateParts {
  std::string metric;
  GateCondition condition;
};
Result<GateParts> parse_gate_parts(std::string_view text);

enum class GateResult : std::uint8_t { passed, failed, inconclusive };

struct GateOutcome {
  GateResult result = GateResult::passed;
  double a = 0;  ///< mean a step: ns, bytes or a count
  double b = 0;
  double change = 0;    ///< in the condition's unit
  double p = kNoRatio;  ///< of noisy metrics
  Message sentence;
};

/// A noisy metric fails when its mean is beyond the value and the test finds a difference (p < 0.05, of at
/// least 4 samples a side); beyond without one is inconclusive. An exact one fails when it is beyond.
/// O(rows * windows).
GateOutcome check_gate(const GateCondition& condition, const RunRecord& a, const RunRecord& b,
                       const RunComparison& comparison);

/// Of samples that stand for themselves.
GateOutcome check_gate_samples(const GateCondition& condition, const std::vector<std::int64_t>& a,
                               const std::vector<std::int64_t>& b, bool exact);

}  // namespace kino
