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

/// Data of one time range, computed on demand. GpuParts (core/tables/gpu/gpu_parts.hpp) and OperatorParts
/// (core/tables/operators/operator_parts.hpp) add further parts. For a step, operators are those in its CPU
/// interval, and GPU work is the work launched in that interval. For other ranges, operators and GPU work are
/// those in the range. Thread-safe. Returned references are valid as long as this object.
class RangeParts {
 public:
  virtual ~RangeParts() = default;

  virtual const Trace& trace() const = 0;
  /// Returns the range on the CPU.
  virtual TimeRange range() const = 0;
  /// Returns the range of GPU work. For a step, it extends from the first work that the step launched to the
  /// last; without such work, it equals range().
  virtual TimeRange gpu_range(const std::stop_token& stop) const = 0;
  virtual std::optional<std::size_t> step() const = 0;
  /// Returns the rules for categories of GPU work.
  virtual const WorkRules& work_rules() const = 0;
  virtual const GpuWork& work(const std::stop_token& stop) const = 0;
  /// Returns the tree of operators and annotations.
  virtual const OperatorTreePart& tree(const std::stop_token& stop) const = 0;
};

}  // namespace kino
