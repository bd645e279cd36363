// The part of a whole trace's operator tree that lies in a range, without making it anew: what is inside is
// as in the whole, so only the few nodes that reach over an edge are summed up again.
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

/// The tree of a whole trace, with what its parts are made from.
struct WholeOperatorTree {
  OperatorTree tree;
  OperatorTreeKinds kinds;
  PooledColumn<std::uint32_t> parents;    ///< those of the nodes, close together
  std::vector<std::uint32_t> first_node;  ///< by row of the trace, and the end
  std::vector<std::uint32_t> merged;      ///< nodes
  std::vector<std::int64_t> owned_ns;     ///< device_ns of all unmerged nodes before each block of them
  /// Durations add up within 64 bits, and OperatorTree::divisible.
  bool divisible = false;
};

/// 60 bytes a node, and 8 a runtime call or piece of GPU work that has an owner. Cost of operator_tree().
/// Empty when stopped.
WholeOperatorTree whole_operator_tree(const Trace& trace, OperatorTreeKinds kinds,
                                      const std::stop_token& stop = {});

/// The nodes of a range with the figures that operator_tree() gives them, numbered as in the whole tree.
class OperatorTreePart {
 public:
  /// Some of the nodes: from `first` on, without gaps. At most kCancelStride.
  struct Piece {
    std::uint32_t first = 0;
    std::span<const OperatorNode> nodes;            ///< `parent`: see parent_of()
    std::span<const std::int64_t> device_total_ns;  ///< empty with modules
  };

  OperatorTreePart() = default;
  /// All of a tree, which must outlive it.
  OperatorTreePart(const Trace& trace, const OperatorTree& tree);
  /// `whole` must outlive it. O(nodes in the range), but 4 bytes each; in trees that are not divisible, and
  /// where a slice of no length lies at the edge, operator_tree(). Empty when stopped.
  OperatorTreePart(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                   const std::stop_token& stop = {}, const std::shared_ptr<MemoryPool>& pool = {});
  OperatorTreePart(OperatorTreePart&&) = default;
  OperatorTreePart& operator=(OperatorTreePart&&) = default;

  /// In order.
  std::span<const Piece> pieces() const { return pieces_; }
  /// Nodes of the whole tree: more than any number of a node.
  std::size_t whole_size() const { return whole_size_; }
  /// Of the earliest one, which may lie before the range; empty without nodes.
  std::optional<std::int64_t> first_start_ns() const { return first_start_ns_; }
  std::int64_t device_ns() const { return device_ns_; }
  std::int64_t owned_device_ns() const { return owned_device_ns_; }
  /// See OperatorTree::work.
  std::span<const OwnedSlice> work() const { return work_; }

  /// The innermost node around it that was not merged, in this range; OperatorNode::kNone without.
  std::uint32_t parent_of(const OperatorNode& node) const { return stays_as(node.parent); }
  /// What a node that is not merged in the whole tree is in this range: itself, or what it is merged into.
  std::uint32_t stays_as(std::uint32_t number) const {
    for (const MergedHere& it : merged_here_) {
      if (it.node == number) number = it.parent;
    }
    return number;
  }
  /// The number of the slice's node; empty if it is none of the range. O(log nodes).
  std::optional<std::uint32_t> find(SliceId slice) const;
  /// Null for one that is not in the range. O(log pieces).
  const OperatorNode* node(std::uint32_t number) const;
  /// Whether it is an operator_tree() of the range, because the whole tree could not be divided.
  bool made_anew() const { return own_ != nullptr; }

  /// Tells which numbers are of its nodes: at once for one near the last that was asked for, else O(log
  /// pieces).
  class Members {
   public:
    explicit Members(const OperatorTreePart& part) : pieces_(part.pieces()) {}
    bool have(std::uint32_t number) {
      if (at_ >= pieces_.size() || number - pieces_[at_].first >= pieces_[at_].nodes.size())
        at_ = piece_of(pieces_, number);
      return at_ < pieces_.size() && number - pieces_[at_].first < pieces_[at_].nodes.size();
    }

   private:
    std::span<const Piece> pieces_;
    std::size_t at_ = 0;
  };

 private:
  friend class PartMaker;

  /// The only child of its name that the range leaves a node, and that node.
  struct MergedHere {
    std::uint32_t node = OperatorNode::kNone;
    std::uint32_t parent = OperatorNode::kNone;
  };

  /// The last one that does not begin behind it, or the number of pieces.
  static std::size_t piece_of(std::span<const Piece> pieces, std::uint32_t number);
  void take_start(std::int64_t start_ns) {
    first_start_ns_ = first_start_ns_ ? std::min(*first_start_ns_, start_ns) : start_ns;
  }
  void add_pieces(const OperatorTree& tree, std::uint32_t from, std::uint32_t count, std::uint32_t first);
  void make_anew(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                 const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool);

  std::vector<Piece> pieces_;
  std::size_t whole_size_ = 0;
  std::optional<std::int64_t> first_start_ns_;
  std::int64_t device_ns_ = 0;
  std::int64_t owned_device_ns_ = 0;
  std::span<const OwnedSlice> work_;
  std::vector<OwnedSlice> own_work_;
  std::vector<OperatorNode> edge_nodes_;  // those whose figures differ from the whole tree's
  std::vector<std::int64_t> edge_total_ns_;
  std::vector<MergedHere> merged_here_;  // the last node first
  std::unique_ptr<OperatorTree> own_;    // made anew
};

}  // namespace kino
