// Key figures of a trace, with its findings.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/tables/operators/memory_table.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/table.hpp"
#include "core/tables/table_kind.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Busy time of a GPU within the windows of the findings.
struct BusyGpu {
  std::uint32_t process = 0;  ///< index into Trace::processes
  std::int64_t busy_ns = 0;
};

/// GPU work of one name (kernels, copies or memsets) within the windows of the findings.
struct TopWork {
  NameId name{};
  std::int64_t total_ns = 0;
  SliceId longest = kNoSlice;
};

/// Figures of the summary page. Times and shares, except `metrics`, refer to the windows of `findings.base`:
/// the used steps as they are marked (README.md, "One base").
struct TraceSummary {
  Findings findings;
  TimeBase base;                     ///< time base of `metrics`, as in TensorBoard
  std::vector<StepBreakdown> steps;  ///< steps that overlap the range
  TimeBreakdown split;               ///< breakdown summed over the windows; `split.window` has the summed
                                     ///< length
  std::vector<BusyGpu> gpus;
  std::vector<GpuMetrics> metrics;
  std::vector<TopWork> kernels;  ///< a few names of GPU work with the largest totals, largest first
  std::vector<MemoryDevice> memory;
  std::vector<DoubtfulWork> doubtful;  ///< GPU work of implausible duration in the windows
  LaunchCounts launches;               ///< launches of the whole trace
  std::uint64_t cpu_collectives = 0;   ///< number of CPU collectives in the whole trace, if no collective
                                       ///< runs on a GPU
};

/// Computes the figures and findings. O(slices).
TraceSummary summarize_trace(const OperatorParts& parts, ByteUnits units, const std::stop_token& stop = {});

/// Table `summary`: the verdict, one row per figure, the order of the findings, and one row per finding.
Table summary_table(const Trace& trace, const TraceSummary& summary, ByteUnits units);

extern const TableKind<OperatorParts> kSummaryTable;

}  // namespace kino
