// The common inputs of the tables of one time range.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/operator_tree_part.hpp"
#include "core/trace/links/work_categories.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// GpuParts (core/tables/gpu/gpu_parts.hpp) and OperatorParts (core/tables/operators/operator_parts.hpp) add
/// further parts. For a step, operators are those in its CPU interval, and GPU work is the work launched in
/// that interval. For a range, all events are those in it, on CPU and GPU. Thread-safe. Results live as long
/// as the parts.
class RangeParts {
 public:
  virtual ~RangeParts() = default;

  virtual const Trace& trace() const = 0;
  /// The range on the CPU.
  virtual TimeRange range() const = 0;
  /// The range of GPU work; for a step, from the first work that it launched to the last.
  virtual TimeRange gpu_range(const std::stop_token& stop) const = 0;
  virtual std::optional<std::size_t> step() const = 0;
  /// Rules for categories of GPU work.
  virtual const WorkRules& work_rules() const = 0;
  virtual const GpuWork& work(const std::stop_token& stop) const = 0;
  /// Operators and annotations.
  virtual const OperatorTreePart& tree(const std::stop_token& stop) const = 0;
};

}  // namespace kino
