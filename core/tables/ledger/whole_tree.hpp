// The operator tree of a whole trace, even if an analysis covers only a range. The limits of a call are
// computed from all of its kernels.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "core/trace/links/operator_tree.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {

/// Owns the tree of the whole trace, or refers to that of `parts` if their range is the whole trace. `parts`
/// must outlive this object.
class WholeTree {
 public:
  /// Builds the tree, unless `parts` have it. O(nodes).
  explicit WholeTree(const RangeParts& parts, const std::stop_token& stop = {}) {
    const Trace& trace = parts.trace();
    if (parts.range() == whole_range(trace)) {
      part_ = &parts.tree(stop);
      return;
    }
    tree_ =
        std::make_unique<OperatorTree>(operator_tree(trace, whole_range(trace), {.annotations = true}, stop));
    part_ = &own_part_.emplace(trace, *tree_);
  }
  const OperatorTreePart& part() const { return *part_; }

 private:
  std::unique_ptr<OperatorTree> tree_;
  std::optional<OperatorTreePart> own_part_;
  const OperatorTreePart* part_ = nullptr;
};

}  // namespace kino
