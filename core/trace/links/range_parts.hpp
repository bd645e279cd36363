// What several tables of one range of a trace start from, whoever keeps it.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GpuParts (core/tables/gpu/gpu_parts.hpp) and OperatorParts (core/tables/operators/operator_parts.hpp) add further parts.
/// A step is its interval on the CPU: its operators are those in it, its GPU work is what was launched in it,
/// whenever that runs. A range is all that happens in it, on CPU and GPU.
/// Thread-safe. What is returned stays valid as long as the parts do; what was stopped is empty.
class RangeParts {
 public:
  virtual ~RangeParts() = default;

  virtual const Trace& trace() const = 0;
  /// On the CPU.
  virtual TimeRange range() const = 0;
  /// Of GPU work: of a step, from the first work it launched to the last.
  virtual TimeRange gpu_range(const std::stop_token& stop) const = 0;
  virtual std::optional<std::size_t> step() const = 0;
  /// For categories of GPU work.
  virtual const WorkRules& work_rules() const = 0;
  virtual const GpuWork& work(const std::stop_token& stop) const = 0;
  /// Of operators and annotations.
  virtual const OperatorTreePart& tree(const std::stop_token& stop) const = 0;
};

}  // namespace kino
