#include "core/range_analysis.hpp"

#include <algorithm>

namespace kino {

const std::vector<SplitStep>& RangeAnalysis::steps(const std::stop_token& stop) const {
  return whole_->steps.get(stop, [&] { return step_rows(trace_, find_steps(trace_, stop), stop); });
}

const SliceSet& RangeAnalysis::tensor_core_work(const std::stop_token& stop) const {
  return whole_->tensor_core_work.get(stop, [&] { return kino::tensor_core_work(trace_, stop); });
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

const WholeOperatorTree& RangeAnalysis::whole_tree(const std::stop_token& stop) const {
  return whole_operators().tree.get(stop,
                                    [&] { return whole_operator_tree(trace_, {.annotations = true}, stop); });
}

const WholeOperatorTree& RangeAnalysis::whole_key_tree(const std::stop_token& stop) const {
  return whole_keys().tree.get(stop, [&] { return whole_operator_tree(trace_, kKeyAverageKinds, stop); });
}

const WholeOperatorTree& RangeAnalysis::whole_module_calls(ModuleSource source,
                                                           const std::stop_token& stop) const {
  return whole_modules(source).tree.get(
      stop, [&] { return whole_operator_tree(trace_, module_kinds(source), stop); });
}

const OperatorTreePart& RangeAnalysis::tree(const std::stop_token& stop) const {
  return tree_.get(stop, [&] { return OperatorTreePart(trace_, whole_tree(stop), range_, stop, pool_); });
}

const OperatorGroups& RangeAnalysis::operator_groups(OperatorGrouping grouping,
                                                     const std::stop_token& stop) const {
  return whole_operators().groups[static_cast<std::size_t>(grouping)].get(
      stop, [&] { return kino::operator_groups(trace_, whole_tree(stop).tree, grouping, stop); });
}

const std::vector<OperatorRow>& RangeAnalysis::operators(const std::stop_token& stop) const {
  return operators_.get(stop, [&] {
    return operator_rows(trace_, tree(stop), operator_groups(OperatorGrouping::name, stop), stop);
  });
}

const OperatorTreePart& RangeAnalysis::key_tree(const std::stop_token& stop) const {
  return key_tree_.get(stop,
                       [&] { return OperatorTreePart(trace_, whole_key_tree(stop), range_, stop, pool_); });
}

const KeyGroups& RangeAnalysis::key_groups(KeyAverageGrouping grouping, const std::stop_token& stop) const {
  return whole_keys().groups[static_cast<std::size_t>(grouping)].get(
      stop, [&] { return kino::key_groups(trace_, whole_key_tree(stop).tree, grouping, stop); });
}

const OperatorTreePart& RangeAnalysis::module_calls(ModuleSource source, const std::stop_token& stop) const {
  return module_calls_[place_of(source)].get(
      stop, [&] { return OperatorTreePart(trace_, whole_module_calls(source, stop), range_, stop, pool_); });
}

const ModulePlacers& RangeAnalysis::module_placers(ModuleSource source, const std::stop_token& stop) const {
  const OperatorTreePart& part = module_calls(source, stop);
  if (part.made_anew()) {
    return module_placers_[place_of(source)].get(
        stop, [&] { return kino::module_placers(trace_, part, source, stop); });
  }
  return whole_modules(source).placers.get(stop, [&] {
    const OperatorTreePart all(trace_, whole_module_calls(source, stop).tree);
    return kino::module_placers(trace_, all, source, stop);
  });
}

const ModuleTree& RangeAnalysis::modules(const std::stop_token& stop) const {
  return modules_.get(stop, [&] {
    const ModuleSource source = module_source(trace_);
    if (source == ModuleSource::none) return ModuleTree();
    return module_tree(trace_, module_calls(source, stop), module_placers(source, stop), source, stop);
  });
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
