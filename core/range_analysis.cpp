#include "core/range_analysis.hpp"

#include <algorithm>

namespace kino {

const std::vector<SplitStep>& RangeAnalysis::steps(const std::stop_token& stop) const {
  return steps_->get(stop, [&] { return step_rows(trace_, find_steps(trace_, stop), stop); });
}

const GpuWork& RangeAnalysis::work(const std::stop_token& stop) const {
  return work_.get(stop, [&] { return gpu_work_in(trace_, range_, stop); });
}

const std::vector<GpuBreakdown>& RangeAnalysis::breakdown(const std::stop_token& stop) const {
  return breakdown_.get(stop, [&] { return gpu_breakdown(trace_, work(stop), range_, stop); });
}

const std::vector<GpuMetrics>& RangeAnalysis::metrics(const std::stop_token& stop) const {
  return metrics_.get(stop, [&] { return gpu_metrics(trace_, work(stop), range_, stop); });
}

const std::vector<StreamIdle>& RangeAnalysis::idle(const std::stop_token& stop) const {
  return idle_.get(stop, [&] { return idle_by_stream(trace_, work(stop), range_, stop); });
}

const std::vector<KernelRow>& RangeAnalysis::kernels(const std::stop_token& stop) const {
  return kernels_.get(stop,
                      [&] { return kernel_rows(trace_, work(stop), range_, KernelGrouping::name, stop); });
}

const std::vector<KernelOutlier>& RangeAnalysis::outliers(const std::stop_token& stop) const {
  return outliers_.get(stop, [&] { return kernel_outliers(trace_, work(stop), stop); });
}

const OperatorTree& RangeAnalysis::tree(const std::stop_token& stop) const {
  return tree_.get(stop, [&] { return operator_tree(trace_, range_, {.annotations = true}, stop, pool_); });
}

const std::vector<OperatorRow>& RangeAnalysis::operators(const std::stop_token& stop) const {
  return operators_.get(stop,
                        [&] { return operator_rows(trace_, tree(stop), OperatorGrouping::name, stop); });
}

const ModuleTree& RangeAnalysis::modules(const std::stop_token& stop) const {
  return modules_.get(stop, [&] { return module_tree(trace_, range_, module_source(trace_), stop, pool_); });
}

std::shared_ptr<const RangeAnalysis> RangeAnalyses::of(TimeRange range) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& it) { return it->range() == range; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
  } else {
    kept_.push_front(
        std::make_shared<const RangeAnalysis>(trace_, range, kept_.empty() ? nullptr : kept_.front().get()));
    if (kept_.size() > kKept) kept_.pop_back();
  }
  return kept_.front();
}

}  // namespace kino
