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

/// Results for a range of a trace. Thread-safe, like RangeParts.
class GpuParts : public RangeParts {
 public:
  /// Returns the steps of the whole trace.
  virtual const std::vector<StepWindow>& steps(const std::stop_token& stop) const = 0;
  /// Returns the roles of the whole trace.
  virtual const SliceRoles& roles(const std::stop_token& stop) const = 0;
  /// Returns the steps that overlap the range, or the requested step.
  virtual std::vector<StepBreakdown> steps_in_range(const std::stop_token& stop) const = 0;
  /// Returns the time base of shares.
  virtual TimeBase base(const std::stop_token& stop) const = 0;
  /// Returns the compute kernels of the whole trace whose operators could use Tensor Cores.
  virtual const SliceSet& tensor_core_work(const std::stop_token& stop) const = 0;
  virtual const std::vector<GpuBreakdown>& breakdown(const std::stop_token& stop) const = 0;
  /// Returns the metrics over base().
  virtual const std::vector<GpuMetrics>& metrics(const std::stop_token& stop) const = 0;
  virtual const std::vector<StreamIdle>& idle(const std::stop_token& stop) const = 0;
  /// Returns the kernels grouped by name.
  virtual const std::vector<KernelRow>& kernels(const std::stop_token& stop) const = 0;
  virtual const std::vector<KernelOutlier>& outliers(const std::stop_token& stop) const = 0;
  /// Returns the launch coverage of the requested GPU work: work launched in the step or range. For a range,
  /// this includes work within the range whose launch is unknown.
  virtual LaunchCoverage coverage(const std::stop_token& stop) const = 0;
};

}  // namespace kino
