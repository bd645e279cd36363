// What several tables of one range start from: each part is computed once, by whoever asks for it first.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/gpu_breakdown.hpp"
#include "core/gpu_metrics.hpp"
#include "core/gpu_work.hpp"
#include "core/idle_gaps.hpp"
#include "core/kernel_table.hpp"
#include "core/module_tree.hpp"
#include "core/operator_table.hpp"
#include "core/step_split.hpp"
#include "core/trace.hpp"

namespace kino {

/// Thread-safe; a thread that asks for a part that another one computes waits for it. A part that was stopped
/// is empty and is not kept. What is returned stays valid as long as the analysis.
class RangeAnalysis {
 public:
  /// `trace` must outlive it. Steps do not depend on the range: they are those of `other`, if there is one of
  /// the same trace.
  RangeAnalysis(const Trace& trace, TimeRange range, const RangeAnalysis* other = nullptr)
      : trace_(trace),
        range_(range),
        steps_(other ? other->steps_ : std::make_shared<Steps>()),
        pool_(other ? other->pool_ : std::make_shared<MemoryPool>(kPoolBytesASlice * trace.slice_count())) {}

  const Trace& trace() const { return trace_; }
  TimeRange range() const { return range_; }
  /// For the large arrays of one range, which the next one's take the place of.
  const std::shared_ptr<MemoryPool>& pool() const { return pool_; }

  /// Of the whole trace.
  const std::vector<SplitStep>& steps(const std::stop_token& stop = {}) const;
  const GpuWork& work(const std::stop_token& stop = {}) const;
  const std::vector<GpuBreakdown>& breakdown(const std::stop_token& stop = {}) const;
  const std::vector<GpuMetrics>& metrics(const std::stop_token& stop = {}) const;
  const std::vector<StreamIdle>& idle(const std::stop_token& stop = {}) const;
  /// By name.
  const std::vector<KernelRow>& kernels(const std::stop_token& stop = {}) const;
  const std::vector<KernelOutlier>& outliers(const std::stop_token& stop = {}) const;
  /// Of operators and annotations.
  const OperatorTree& tree(const std::stop_token& stop = {}) const;
  /// By name.
  const std::vector<OperatorRow>& operators(const std::stop_token& stop = {}) const;
  /// By what the trace tells modules by.
  const ModuleTree& modules(const std::stop_token& stop = {}) const;

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
  using Steps = Part<std::vector<SplitStep>>;

  static constexpr std::size_t kPoolBytesASlice = 64;  // a tree of everything, with runtime calls

  const Trace& trace_;
  const TimeRange range_;
  const std::shared_ptr<Steps> steps_;
  const std::shared_ptr<MemoryPool> pool_;
  mutable Part<GpuWork> work_;
  mutable Part<std::vector<GpuBreakdown>> breakdown_;
  mutable Part<std::vector<GpuMetrics>> metrics_;
  mutable Part<std::vector<StreamIdle>> idle_;
  mutable Part<std::vector<KernelRow>> kernels_;
  mutable Part<std::vector<KernelOutlier>> outliers_;
  mutable Part<OperatorTree> tree_;
  mutable Part<std::vector<OperatorRow>> operators_;
  mutable Part<ModuleTree> modules_;
};

/// The analyses of the ranges a person went through last. Thread-safe.
class RangeAnalyses {
 public:
  /// `trace` must outlive it, and what it hands out.
  explicit RangeAnalyses(const Trace& trace) : trace_(trace) {}

  const Trace& trace() const { return trace_; }
  std::shared_ptr<const RangeAnalysis> of(TimeRange range) const;

 private:
  static constexpr std::size_t kKept = 2;

  const Trace& trace_;
  mutable std::mutex mutex_;
  mutable std::list<std::shared_ptr<const RangeAnalysis>> kept_;  // guarded by mutex_; the newest first
};

}  // namespace kino
