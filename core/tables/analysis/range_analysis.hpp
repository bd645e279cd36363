// Intermediate results shared by the tables of one range, computed at the first request.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
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
#include "core/tables/operators/key_averages.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Results of a range or step. Results that are returned by reference are computed once. If another thread is
/// computing a result, a request waits for it. Results of stopped computations are not stored. References
/// remain valid as long as the analysis.
class RangeAnalysis final : public OperatorParts {
 public:
  /// `trace` must outlive the analysis. Results that do not depend on the range are shared with `other`, an
  /// analysis of the same trace. The whole-trace trees of operators, key averages and modules take 60 bytes
  /// per counted event, plus 4 per grouping. Each tree is retained while an analysis that used it exists; the
  /// most recently requested one also remains without such an analysis. `step`: index of the range in
  /// step_windows().
  RangeAnalysis(const Trace& trace, TimeRange range, const RangeAnalysis* other = nullptr,
                std::optional<std::size_t> step = std::nullopt,
                std::shared_ptr<const WorkRules> rules = default_work_rules())
      : trace_(trace),
        range_(range),
        step_(step),
        rules_(std::move(rules)),
        whole_(other ? other->whole_ : std::make_shared<Whole>()),
        pool_(other ? other->pool_ : std::make_shared<MemoryPool>(kPoolBytesPerSlice * trace.slice_count())) {
  }

  const Trace& trace() const override { return trace_; }
  TimeRange range() const override { return range_; }
  TimeRange gpu_range(const std::stop_token& stop = {}) const override;
  std::optional<std::size_t> step() const override { return step_; }
  const WorkRules& work_rules() const override { return *rules_; }
  /// Returns the memory pool for the large arrays of a range; the next range reuses their memory.
  const std::shared_ptr<MemoryPool>& pool() const { return pool_; }

  const std::vector<StepWindow>& steps(const std::stop_token& stop = {}) const override;
  const SliceRoles& roles(const std::stop_token& stop = {}) const override;
  std::vector<StepBreakdown> steps_in_range(const std::stop_token& stop = {}) const override;
  TimeBase base(const std::stop_token& stop = {}) const override;
  const SliceSet& tensor_core_work(const std::stop_token& stop = {}) const override;
  const GpuWork& work(const std::stop_token& stop = {}) const override;
  const std::vector<GpuBreakdown>& breakdown(const std::stop_token& stop = {}) const override;
  const std::vector<GpuMetrics>& metrics(const std::stop_token& stop = {}) const override;
  const std::vector<StreamIdle>& idle(const std::stop_token& stop = {}) const override;
  const std::vector<KernelRow>& kernels(const std::stop_token& stop = {}) const override;
  const std::vector<KernelOutlier>& outliers(const std::stop_token& stop = {}) const override;
  LaunchCoverage coverage(const std::stop_token& stop = {}) const override;
  const OperatorTreePart& tree(const std::stop_token& stop = {}) const override;
  const OperatorGroups& operator_groups(OperatorGrouping grouping,
                                        const std::stop_token& stop = {}) const override;
  const std::vector<OperatorRow>& operators(const std::stop_token& stop = {}) const override;
  const OperatorTreePart& key_tree(const std::stop_token& stop = {}) const override;
  const KeyGroups& key_groups(KeyAverageGrouping grouping, const std::stop_token& stop = {}) const override;
  const OperatorTreePart& module_calls(ModuleSource source, const std::stop_token& stop = {}) const override;
  const ModuleAnchors& module_placers(ModuleSource source, const std::stop_token& stop = {}) const override;
  const ModuleTree& modules(const std::stop_token& stop = {}) const override;
  ModuleTree modules_by(ModuleSource source, const std::stop_token& stop = {}) const override;

 private:
  template <class Value>
  struct Part {
    std::mutex mutex;
    std::optional<Value> value;  // guarded by mutex

    template <class Compute>
    const Value& get(const std::stop_token& stop, Compute&& compute) {
      static const Value stopped{};
      const std::lock_guard lock(mutex);
      if (value) return *value;
      Value computed = compute();
      if (stop.stop_requested()) return stopped;
      return value.emplace(std::move(computed));
    }
  };
  template <class Value>
  using ByGroup = std::array<Part<Value>, 3>;
  /// Returns the index into the arrays of module trees: modules from annotations have a separate tree.
  static std::size_t index_of_source(ModuleSource source) {
    return source == ModuleSource::annotation ? 1 : 0;
  }

  /// Results for the whole trace.
  struct Operators {
    Part<WholeOperatorTree> tree;
    ByGroup<OperatorGroups> groups;
  };
  struct Keys {
    Part<WholeOperatorTree> tree;
    ByGroup<KeyGroups> groups;
  };
  struct Modules {
    Part<WholeOperatorTree> tree;
    Part<ModuleAnchors> placers;
  };
  struct Whole {
    Part<std::vector<StepWindow>> steps;
    Part<SliceRoles> roles;
    Part<LaunchTimes> launches;
    Part<SliceSet> tensor_core_work;
    std::mutex mutex;
    std::shared_ptr<void> latest;        // last requested tree; guarded by mutex, like the members below
    std::weak_ptr<Operators> operators;  // expires with the last analysis that uses it, unless it is `latest`
    std::weak_ptr<Keys> keys;
    std::array<std::weak_ptr<Modules>, 2> modules;

    template <class Shared>
    std::shared_ptr<Shared> take(std::weak_ptr<Shared>& cache) {
      std::shared_ptr<void> gone;  // previous tree, destroyed after the lock is released
      const std::lock_guard lock(mutex);
      std::shared_ptr<Shared> shared = cache.lock();
      if (shared == nullptr) cache = shared = std::make_shared<Shared>();
      gone = std::exchange(latest, shared);
      return shared;
    }
  };
  template <class Shared>
  struct SharedHandle {
    std::mutex mutex;
    std::shared_ptr<Shared> shared;  // guarded by mutex; constant once set

    Shared& get(Whole& whole, std::weak_ptr<Shared>& cache) {
      const std::lock_guard lock(mutex);
      std::shared_ptr<Shared> latest = whole.take(cache);
      if (shared == nullptr) shared = std::move(latest);
      return *shared;
    }
  };

  static constexpr std::size_t kPoolBytesPerSlice = 64;  // enough for a tree of all events, including runtime
                                                         // calls

  Operators& whole_operators() const { return held_operators_.get(*whole_, whole_->operators); }
  Keys& whole_keys() const { return held_keys_.get(*whole_, whole_->keys); }
  Modules& whole_modules(ModuleSource source) const {
    return held_modules_[index_of_source(source)].get(*whole_, whole_->modules[index_of_source(source)]);
  }
  const LaunchTimes& launches(const std::stop_token& stop) const;
  const WholeOperatorTree& whole_tree(const std::stop_token& stop) const;
  const WholeOperatorTree& whole_key_tree(const std::stop_token& stop) const;
  const WholeOperatorTree& whole_module_calls(ModuleSource source, const std::stop_token& stop) const;

  const Trace& trace_;
  const TimeRange range_;
  const std::optional<std::size_t> step_;
  const std::shared_ptr<const WorkRules> rules_;
  const std::shared_ptr<Whole> whole_;
  const std::shared_ptr<MemoryPool> pool_;
  mutable SharedHandle<Operators> held_operators_;
  mutable SharedHandle<Keys> held_keys_;
  mutable std::array<SharedHandle<Modules>, 2> held_modules_;  // indexed by index_of_source()
  mutable Part<GpuWork> work_;
  mutable Part<LaunchCoverage> coverage_;  // computed only if the range is the whole trace
  mutable Part<std::vector<GpuBreakdown>> breakdown_;
  mutable Part<std::vector<GpuMetrics>> metrics_;
  mutable Part<std::vector<StreamIdle>> idle_;
  mutable Part<std::vector<KernelRow>> kernels_;
  mutable Part<std::vector<KernelOutlier>> outliers_;
  mutable Part<OperatorTreePart> tree_;
  mutable Part<std::vector<OperatorRow>> operators_;
  mutable Part<OperatorTreePart> key_tree_;
  mutable std::array<Part<OperatorTreePart>, 2> module_calls_;
  mutable std::array<Part<ModuleAnchors>, 2> module_placers_;  // anchors of trees that were rebuilt for the
                                                               // range
  mutable Part<ModuleTree> modules_;
};

/// Cache of the two most recently used analyses. Thread-safe.
class RangeAnalyses {
 public:
  /// `trace` must outlive the cache and the analyses.
  explicit RangeAnalyses(const Trace& trace, std::shared_ptr<const WorkRules> rules = default_work_rules())
      : trace_(trace), rules_(std::move(rules)) {}

  const Trace& trace() const { return trace_; }
  std::shared_ptr<const RangeAnalysis> of(TimeRange range) const { return of(range, std::nullopt); }
  /// `step` is an index into step_windows().
  std::shared_ptr<const RangeAnalysis> of_step(const StepWindow& window, std::size_t step) const {
    return of(window.range, step);
  }

 private:
  static constexpr std::size_t kMaxCached = 2;

  std::shared_ptr<const RangeAnalysis> of(TimeRange range, std::optional<std::size_t> step) const;

  const Trace& trace_;
  const std::shared_ptr<const WorkRules> rules_;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<const RangeAnalysis>> cached_;  // guarded by mutex_; newest first
};

}  // namespace kino
