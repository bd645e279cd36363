// The content of the first page of a trace: findings, steps, the mean step, and the work in it. The window
// and the report show the same content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/tables/analysis/trace_summary.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/summary/example_picture.hpp"
#include "core/tables/summary/overview_sections.hpp"
#include "core/tables/summary/step_groups.hpp"

namespace kino {

/// Work of one name in the mean window.
struct OverviewWork {
  NameId name{};
  SliceKind kind{};
  double per_window = 0;     ///< number of pieces or calls that start in a window
  std::int64_t mean_ns = 0;  ///< time per window
  double share = 0;          ///< see OverviewTop::total_ns
  SliceId longest = kNoSlice;
};

struct OverviewTop {
  static constexpr std::size_t kMost = 5;

  std::vector<OverviewWork> rows;  ///< most time first, at most kMost
  std::int64_t total_ns = 0;       ///< time that the shares refer to: of all work, in all windows
};

/// One GPU, or the CPU of a trace without GPU work.
struct OverviewGpu {
  std::string title;              ///< empty for the CPU
  GroupTimes mean;                ///< mean of the windows of the findings; adds up to FindingBase::mean_ns
  std::vector<GroupTimes> parts;  ///< by part of FindingBase::all
  OverviewSection utilization;
};

struct TraceOverview {
  static constexpr std::size_t kMaxGpus = 64;

  TraceSummary summary;
  bool of_gpu = false;  ///< whether the trace has GPU work in a window
  std::vector<OverviewGpu>
      gpus;                    ///< in display order; one for a trace without GPU work; empty if the trace has
                               ///< no time to divide
  std::size_t gpu_count = 0;   ///< number of GPUs, including those beyond kMaxGpus
  std::vector<bool> outliers;  ///< by part of FindingBase::all: much longer than the others, see Steps
  OverviewTop kernels;         ///< GPU work by name
  /// Operators by the time of the GPU work that they launched themselves. Without GPU work, operators by the
  /// time in which they are the innermost event of the thread.
  OverviewTop operators;
  OverviewSection memory;
  MemoryColumns curve;
  OverviewSection quality;
  std::vector<ExamplePicture> pictures;  ///< by finding: its worst example; without lanes if it has none
};

/// Computes the overview of the whole trace; `parts` must be its analysis. O(slices).
TraceOverview trace_overview(const OperatorParts& parts, ByteUnits units, const std::stop_token& stop = {});

}  // namespace kino
