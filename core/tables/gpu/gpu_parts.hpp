// Intermediate results shared by GPU tables of one range.
#pragma once

#include <stop_token>
#include <vector>

#include "core/base/slice_set.hpp"
#include "core/tables/gpu/gpu_breakdown.hpp"
#include "core/tables/gpu/gpu_metrics.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/kernel_outliers.hpp"
#include "core/tables/gpu/kernel_table.hpp"
#include "core/tables/gpu/launch_times.hpp"
#include "core/tables/gpu/step_breakdown.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {

/// Thread-safe, like RangeParts.
class GpuParts : public RangeParts {
 public:
  /// For the whole trace.
  virtual const std::vector<StepWindow>& steps(const std::stop_token& stop) const = 0;
  /// For the whole trace.
  virtual const SliceRoles& roles(const std::stop_token& stop) const = 0;
  /// Steps with a part in the range, or the requested step.
  virtual std::vector<StepBreakdown> steps_in_range(const std::stop_token& stop) const = 0;
  /// Base of shares of time.
  virtual TimeBase base(const std::stop_token& stop) const = 0;
  /// Compute kernels of the whole trace whose operators could use Tensor Cores.
  virtual const SliceSet& tensor_core_work(const std::stop_token& stop) const = 0;
  virtual const std::vector<GpuBreakdown>& breakdown(const std::stop_token& stop) const = 0;
  /// Over base().
  virtual const std::vector<GpuMetrics>& metrics(const std::stop_token& stop) const = 0;
  virtual const std::vector<StreamIdle>& idle(const std::stop_token& stop) const = 0;
  /// Grouped by name.
  virtual const std::vector<KernelRow>& kernels(const std::stop_token& stop) const = 0;
  virtual const std::vector<KernelOutlier>& outliers(const std::stop_token& stop) const = 0;
  /// Coverage of the requested GPU work: launched in the step or range, or of unknown launch and within the
  /// range.
  virtual LaunchCoverage coverage(const std::stop_token& stop) const = 0;
};

}  // namespace kino
