#include "core/tables/analysis/range_analysis.hpp"

#include <algorithm>
#include <limits>

#include "core/base/saturating.hpp"

namespace kino {

const std::vector<StepWindow>& RangeAnalysis::steps(const std::stop_token& stop) const {
  return whole_->steps.get(stop, [&] { return step_windows(trace_, find_steps(trace_, stop), stop); });
}

const SliceRoles& RangeAnalysis::roles(const std::stop_token& stop) const {
  return whole_->roles.get(stop, [&] { return SliceRoles(trace_, stop); });
}

const LaunchTimes& RangeAnalysis::launches(const std::stop_token& stop) const {
  return whole_->launches.get(stop, [&] { return LaunchTimes(trace_, stop); });
}

std::vector<StepBreakdown> RangeAnalysis::steps_in_range(const std::stop_token& stop) const {
  std::vector<StepWindow> wanted;
  const std::vector<StepWindow>& all = steps(stop);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool touches = all[i].range.begin_ns < range_.end_ns && all[i].range.end_ns > range_.begin_ns;
    if (step_ ? i == *step_ : touches) wanted.push_back(all[i]);
  }
  return break_down_steps(wanted, roles(stop));
}

TimeBase RangeAnalysis::base(const std::stop_token& stop) const {
  const std::vector<StepWindow>& all = steps(stop);
  TimeBase base;
  if (step_ && *step_ < all.size()) base = base_of_step(all[*step_]);
  base.device = device_word(trace_);
  if (step_) return base;
  if (range_ == whole_range(trace_)) {
    base = base_of_trace(all, work(stop).size() > 0);
    base.device = device_word(trace_);
    if (base.kind == TimeBase::Kind::steps) return base;
  } else {
    base.kind = TimeBase::Kind::range;
    base.window = range_;
    base.marked = {range_};
  }
  base.calls = range_;
  return base;
}

const SliceSet& RangeAnalysis::tensor_core_work(const std::stop_token& stop) const {
  return whole_->tensor_core_work.get(stop, [&] { return kino::tensor_core_work(trace_, stop); });
}

const GpuWork& RangeAnalysis::work(const std::stop_token& stop) const {
  return work_.get(stop, [&] {
    return step_ ? launches(stop).launched_in(trace_, range_) : gpu_work_in(trace_, range_, stop);
  });
}

TimeRange RangeAnalysis::gpu_range(const std::stop_token& stop) const {
  if (!step_) return range_;
  const GpuWork& launched = work(stop);
  if (launched.streams.empty()) return range_;
  TimeRange hull{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const StreamWork& stream : launched.streams) {
    for (const SliceId slice : stream.slices) {
      hull.begin_ns = std::min(hull.begin_ns, trace_.start_ns(slice));
      // Ranges exclude their end, so work of zero length needs 1 ns to be inside the range.
      const std::int64_t length_ns = std::max<std::int64_t>(1, trace_.duration_ns(slice));
      hull.end_ns = std::max(hull.end_ns, saturating_add(trace_.start_ns(slice), length_ns));
    }
  }
  return hull;
}

LaunchCoverage RangeAnalysis::coverage(const std::stop_token& stop) const {
  if (!step_ && range_ == whole_range(trace_))
    return coverage_.get(stop, [&] { return launch_coverage(trace_, work(stop), stop); });
  return launches(stop).coverage(range_, !step_);
}

const std::vector<GpuBreakdown>& RangeAnalysis::breakdown(const std::stop_token& stop) const {
  return breakdown_.get(stop, [&] { return gpu_breakdown(trace_, work(stop), gpu_range(stop), stop); });
}

const std::vector<GpuMetrics>& RangeAnalysis::metrics(const std::stop_token& stop) const {
  return metrics_.get(stop, [&] {
    const TimeRange window = base(stop).window;
    return gpu_metrics(trace_, gpu_work_in(trace_, window, stop), window, stop);
  });
}

const std::vector<StreamIdle>& RangeAnalysis::idle(const std::stop_token& stop) const {
  return idle_.get(stop, [&] { return idle_by_stream(trace_, work(stop), gpu_range(stop), stop); });
}

const std::vector<KernelRow>& RangeAnalysis::kernels(const std::stop_token& stop) const {
  return kernels_.get(
      stop, [&] { return kernel_rows(trace_, work(stop), gpu_range(stop), KernelGrouping::name, stop); });
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
  return module_calls_[index_of_source(source)].get(
      stop, [&] { return OperatorTreePart(trace_, whole_module_calls(source, stop), range_, stop, pool_); });
}

const ModuleAnchors& RangeAnalysis::module_placers(ModuleSource source, const std::stop_token& stop) const {
  const OperatorTreePart& part = module_calls(source, stop);
  if (part.was_rebuilt()) {
    return module_placers_[index_of_source(source)].get(
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
    return source == ModuleSource::none ? ModuleTree() : modules_by(source, stop);
  });
}

ModuleTree RangeAnalysis::modules_by(ModuleSource source, const std::stop_token& stop) const {
  ModuleTree tree =
      module_tree(trace_, module_calls(source, stop), module_placers(source, stop), source, stop);
  // Calls at the edges may own work that was launched outside of the range, which coverage() does not count.
  if (range_ != whole_range(trace_))
    tree.device_ns = std::max(tree.owned_device_ns, launches(stop).coverage(range_, !step_).all_ns);
  return tree;
}

std::shared_ptr<const RangeAnalysis> RangeAnalyses::of(TimeRange range,
                                                       std::optional<std::size_t> step) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(cached_.begin(), cached_.end(), [&](const auto& analysis) {
    return analysis->range() == range && analysis->step() == step;
  });
  if (found != cached_.end()) {
    cached_.splice(cached_.begin(), cached_, found);
  } else {
    cached_.push_front(std::make_shared<const RangeAnalysis>(
        trace_, range, cached_.empty() ? nullptr : cached_.front().get(), step, rules_));
    if (cached_.size() > kMaxCached) cached_.pop_back();
  }
  return cached_.front();
}

}  // namespace kino
