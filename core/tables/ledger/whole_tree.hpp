// The operators of a whole trace, from the parts of any range: the limits of a call need all of its kernels.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "core/trace/links/operator_tree.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {

/// `parts` must outlive it.
class WholeTree {
 public:
  /// O(nodes), unless the range is the whole trace.
  explicit WholeTree(const RangeParts& parts, const std::stop_token& stop = {}) {
    const Trace& trace = parts.trace();
    if (parts.range() == whole_range(trace)) {
      part_ = &parts.tree(stop);
      return;
    }
    tree_ = std::make_unique<OperatorTree>(
        operator_tree(trace, whole_range(trace), {.annotations = true}, stop));
    part_ = &own_part_.emplace(trace, *tree_);
  }
  const OperatorTreePart& part() const { return *part_; }

 private:
  std::unique_ptr<OperatorTree> tree_;
  std::optional<OperatorTreePart> own_part_;
  const OperatorTreePart* part_ = nullptr;
};

}  // namespace kino
