// What to look at first: the figures of a trace and plain sentences with their evidence.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/gpu/gpu_breakdown.hpp"
#include "core/gpu/gpu_metrics.hpp"
#include "core/gpu/kernel_table.hpp"
#include "core/gpu/step_split.hpp"
#include "core/gpu/time_base.hpp"
#include "core/operators/memory_table.hpp"
#include "core/relations/range_parts.hpp"
#include "core/table/table.hpp"
#include "core/table/table_kind.hpp"
#include "core/trace/trace.hpp"

namespace kino {

enum class FindingKind : std::uint8_t {
  data_loading,           ///< more than 5 % of the time
  exposed_communication,  ///< more than 10 %
  launch_bound,           ///< a GPU idle for more than 10 % because its next work was launched too late
  low_utilization,        ///< a GPU runs kernels less than half of the time
  no_tensor_cores,        ///< operators that can use them do not, on a device that has them
  waiting,                ///< calls that wait for the GPU take more than 5 %, copies to the host among them
  tiny_kernels,           ///< more than half of over a thousand kernels are shorter than 5 us
  recompute,              ///< more than 5 % of the GPU time repeats forward computations in the backward pass
  memory_limit,           ///< a device had more than 90 % of its memory allocated
  outliers,               ///< GPU work that took many times longer than its like
};
std::string_view text_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  double share = 0;  ///< of `base`, which the sentence names
  std::string base;
  std::string sentence;         ///< with its numbers
  SliceId evidence = kNoSlice;  ///< where to look first
};

/// The figures behind the first page; all shares of time are of one base.
struct TraceSummary {
  TimeBase base;
  std::vector<SplitStep> steps;    ///< those that touch the range
  TimeSplit split;                 ///< of the base
  std::vector<GpuBreakdown> gpus;  ///< within the base
  std::vector<GpuMetrics> metrics;
  std::vector<KernelRow> kernels;  ///< by name
  std::vector<MemoryDevice> memory;
  std::vector<Finding> findings;  ///< the largest share first
};

/// O(slices) for what nobody has asked `parts` for yet. Empty findings when stopped.
TraceSummary summarize_trace(const RangeParts& parts, const std::stop_token& stop = {});

/// `summary`: a row a figure, then a row a finding.
Table summary_table(const Trace& trace, const TraceSummary& summary);

extern const TableKind kSummaryTable;

}  // namespace kino
