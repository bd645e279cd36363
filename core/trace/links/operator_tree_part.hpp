// The part of a trace's operator tree in a time range, derived from the whole tree: inner nodes are
// unchanged, so only the few nodes that cross an edge of the range are summed up again.
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
  PooledColumn<std::uint32_t> parents;    ///< of the nodes, in a compact array
  std::vector<std::uint32_t> first_node;  ///< by row of the trace, and the end
  std::vector<std::uint32_t> merged;      ///< merged nodes
  std::vector<std::int64_t> owned_ns;     ///< device_ns of all unmerged nodes before each block of them
  /// Whether the sum of all durations fits 64 bits, and OperatorTree::divisible.
  bool divisible = false;
};

/// Has the cost of operator_tree(). 60 bytes per node, and 8 per runtime call or piece of GPU work with an
/// owner.
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
  /// The whole tree, which must outlive it.
  OperatorTreePart(const Trace& trace, const OperatorTree& tree);
  /// `whole` must outlive it. O(nodes in the range), but only 4 bytes each. Calls operator_tree() for trees
  /// that are not divisible, and if a slice of zero length is at the edge.
  OperatorTreePart(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                   const std::stop_token& stop = {}, const std::shared_ptr<MemoryPool>& pool = {});
  OperatorTreePart(OperatorTreePart&&) = default;
  OperatorTreePart& operator=(OperatorTreePart&&) = default;

  /// Sorted by node.
  std::span<const Piece> pieces() const { return pieces_; }
  /// The number of nodes of the whole tree; all indices are below it.
  std::size_t whole_size() const { return whole_size_; }
  /// The start of the earliest node, which may be before the range; empty without nodes.
  std::optional<std::int64_t> first_start_ns() const { return first_start_ns_; }
  std::int64_t device_ns() const { return device_ns_; }
  std::int64_t owned_device_ns() const { return owned_device_ns_; }
  /// See OperatorTree::work.
  std::span<const OwnedSlice> work() const { return work_; }

  /// The innermost unmerged node around it in this range; OperatorNode::kNone without one.
  std::uint32_t parent_of(const OperatorNode& node) const { return merged_target(node.parent); }
  /// The node that an unmerged node of the whole tree is merged into in this range; the node itself if it is
  /// not.
  std::uint32_t merged_target(std::uint32_t index) const {
    for (const MergedHere& merged : merged_here_) {
      if (merged.node == index) index = merged.parent;
    }
    return index;
  }
  /// The index of the slice's node; empty if it is not in the range. O(log nodes).
  std::optional<std::uint32_t> find(SliceId slice) const;
  /// Null if the node is not in the range. O(log pieces).
  const OperatorNode* node(std::uint32_t index) const;
  /// Whether it is an operator_tree() of the range, because the whole tree could not be divided.
  bool was_rebuilt() const { return own_ != nullptr; }

  /// Checks whether nodes are in the range. O(1) near the last query, otherwise O(log pieces).
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

  /// The last piece that begins at or before the index, or the number of pieces.
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
  std::unique_ptr<OperatorTree> own_;    // if was_rebuilt()
};

}  // namespace kino
