// The part of a trace's operator tree in a time range, derived from the whole tree. Nodes inside the range
// are unchanged, so only the few nodes that cross an edge of the range are summed up again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/links/operator_tree.hpp"

namespace kino {

/// The tree of a whole trace, with the data that its parts are derived from.
struct WholeOperatorTree {
  OperatorTree tree;
  OperatorTreeKinds kinds;
  PooledColumn<std::uint32_t> parents;    ///< parent of each node, in a compact array
  std::vector<std::uint32_t> first_node;  ///< by row of the trace: its first node; then the count
  std::vector<std::uint32_t> merged;      ///< merged nodes
  std::vector<std::int64_t> owned_ns;     ///< by block of nodes: device_ns of all unmerged nodes before
  /// OperatorTree::divisible, and whether the sum of all durations fits 64 bits
  bool divisible = false;
};

/// Builds the whole tree at the cost of operator_tree(). Takes 60 bytes per node, and 8 per runtime call or
/// piece of GPU work with an owner.
WholeOperatorTree whole_operator_tree(const Trace& trace, OperatorTreeKinds kinds,
                                      const std::stop_token& stop = {});

/// The nodes of a range with the figures of operator_tree(), but with the indices of the whole tree.
class OperatorTreePart {
 public:
  /// Consecutive nodes from `first` on, at most kCancelStride.
  struct Piece {
    std::uint32_t first = 0;
    std::span<const OperatorNode> nodes;            ///< `parent`: see parent_of()
    std::span<const std::int64_t> device_total_ns;  ///< empty with modules
  };

  OperatorTreePart() = default;
  /// Contains the whole tree, which must outlive this object.
  OperatorTreePart(const Trace& trace, const OperatorTree& tree);
  /// Contains the nodes in `range`. `whole` must outlive this object. O(nodes and calls in the range + merged
  /// nodes), but only 4 bytes are read per node; clears one bit per node of the whole tree. With modules,
  /// also O(GPU work). Calls operator_tree() if the tree is not divisible, or if a slice of zero length at
  /// the start of the range has a parent outside.
  OperatorTreePart(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                   const std::stop_token& stop = {}, const std::shared_ptr<MemoryPool>& pool = {});
  OperatorTreePart(OperatorTreePart&&) = default;
  OperatorTreePart& operator=(OperatorTreePart&&) = default;

  /// Returns the pieces, sorted by node.
  std::span<const Piece> pieces() const { return pieces_; }
  /// Returns the number of nodes of the whole tree; all indices are smaller.
  std::size_t whole_size() const { return whole_size_; }
  /// Returns the start of the earliest node, which may be before the range; empty if there are no nodes.
  std::optional<std::int64_t> first_start_ns() const { return first_start_ns_; }
  std::int64_t device_ns() const { return device_ns_; }
  std::int64_t owned_device_ns() const { return owned_device_ns_; }
  /// See OperatorTree::work.
  std::span<const OwnedSlice> work() const { return work_; }

  /// Returns the innermost node around `node` that is unmerged in this range; OperatorNode::kNone if there is
  /// none.
  std::uint32_t parent_of(const OperatorNode& node) const { return merged_target(node.parent); }
  /// Returns the node into which an unmerged node of the whole tree is merged in this range; the node itself
  /// if it is not merged.
  std::uint32_t merged_target(std::uint32_t index) const {
    for (const MergedHere& merged : merged_here_) {
      if (merged.node == index) index = merged.parent;
    }
    return index;
  }
  /// Returns the index of the slice's node; empty if the node is not in the range. O(log nodes).
  std::optional<std::uint32_t> find(SliceId slice) const;
  /// Returns the node with this index; null if it is not in the range. O(log pieces).
  const OperatorNode* node(std::uint32_t index) const;
  /// Whether operator_tree() was called for the range, because the whole tree could not be divided.
  bool was_rebuilt() const { return own_ != nullptr; }

  /// Checks whether nodes are in the range. O(1) if the node is near the last one checked, otherwise O(log
  /// pieces).
  class Members {
   public:
    explicit Members(const OperatorTreePart& part) : pieces_(part.pieces()) {}
    bool have(std::uint32_t index) {
      if (at_ >= pieces_.size() || index - pieces_[at_].first >= pieces_[at_].nodes.size())
        at_ = piece_of(pieces_, index);
      return at_ < pieces_.size() && index - pieces_[at_].first < pieces_[at_].nodes.size();
    }

   private:
    std::span<const Piece> pieces_;
    std::size_t at_ = 0;
  };

 private:
  friend class PartMaker;

  /// A node that is merged only in this range, and its parent.
  struct MergedHere {
    std::uint32_t node = OperatorNode::kNone;
    std::uint32_t parent = OperatorNode::kNone;
  };

  /// Returns the last piece that starts at or before the index, or the number of pieces.
  static std::size_t piece_of(std::span<const Piece> pieces, std::uint32_t index);
  void take_start(std::int64_t start_ns) {
    first_start_ns_ = first_start_ns_ ? std::min(*first_start_ns_, start_ns) : start_ns;
  }
  void add_pieces(const OperatorTree& tree, std::uint32_t from, std::uint32_t count, std::uint32_t first);
  void rebuild(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
               const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool);

  std::vector<Piece> pieces_;
  std::size_t whole_size_ = 0;
  std::optional<std::int64_t> first_start_ns_;
  std::int64_t device_ns_ = 0;
  std::int64_t owned_device_ns_ = 0;
  std::span<const OwnedSlice> work_;
  std::vector<OwnedSlice> own_work_;
  std::vector<OperatorNode> edge_nodes_;  // nodes whose figures differ from the whole tree's
  std::vector<std::int64_t> edge_total_ns_;
  std::vector<MergedHere> merged_here_;  // last node first
  std::unique_ptr<OperatorTree> own_;    // only if was_rebuilt()
};

}  // namespace kino
