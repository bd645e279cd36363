#include "core/operator_tree.hpp"

#include <algorithm>

#include "core/event_facts.hpp"
#include "core/gpu_work.hpp"
#include "core/parallel.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNoOperator = OperatorNode::kNone;

class TreeBuilder {
 public:
  TreeBuilder(const Trace& trace, TimeRange range, OperatorTreeKinds kinds, const std::stop_token& stop)
      : trace_(trace),
        range_(range),
        kinds_(kinds),
        stop_(stop),
        node_of_(trace.slice_count(), kNoOperator) {}

  OperatorTree run() {
    if (!make_nodes() || !own_work()) return {};
    merge_single_children();
    sum_up();
    return std::move(tree_);
  }

 private:
  bool wanted(SliceKind kind) const {
    return kind == SliceKind::cpu_op || (kinds_.annotations && kind == SliceKind::annotation) ||
           (kinds_.runtime && kind == SliceKind::runtime);
  }

  /// A slice's parent has a smaller id, for it lies in an outer lane of its track; so what is not wanted can
  /// hand on the node around it.
  bool make_nodes() {
    const SliceColumns& slices = trace_.slices;
    for (const Track& track : trace_.tracks) {
      if (track.kind != TrackKind::cpu_thread) continue;
      for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
        const std::uint32_t first = trace_.rows[row].first_slice;
        for (std::uint32_t i = first; i < first + trace_.rows[row].slice_count; ++i) {
          if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
          const SliceId around = slices.parent[i];
          const std::uint32_t parent = around == kNoSlice ? kNoOperator : node_of_[index_of(around)];
          node_of_[i] = parent;
          if (!wanted(slices.kind[i]) || !in_range(range_, slices.start_ns[i], slices.duration_ns[i]))
            continue;
          node_of_[i] = static_cast<std::uint32_t>(tree_.nodes.size());
          OperatorNode& node = tree_.nodes.emplace_back();
          node.slice = SliceId{i};
          node.parent = parent;
          node.duration_ns = clipped(range_, slices.start_ns[i], trace_.end_ns(SliceId{i})).length_ns();
        }
      }
    }
    return true;
  }

  /// The node a slice of the CPU belongs to, itself included.
  std::uint32_t node_at(SliceId slice) const {
    return slice == kNoSlice ? kNoOperator : node_of_[index_of(slice)];
  }

  bool own_work() {
    const SliceColumns& slices = trace_.slices;
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
      const SliceKind kind = slices.kind[i];
      if (is_gpu_work(kind)) {
        const std::uint32_t owner = owner_node(SliceId{i});
        tree_.device_ns += slices.duration_ns[i];
        if (owner == kNoOperator) continue;
        tree_.nodes[owner].device_ns += slices.duration_ns[i];
        tree_.owned_device_ns += slices.duration_ns[i];
      } else if (kind == SliceKind::runtime) {
        const std::uint32_t owner = owner_node(SliceId{i});
        if (owner == kNoOperator) continue;
        // A call of another thread stands with the operator that asked for it.
        if (kinds_.runtime && node_of_[i] != kNoOperator && encloses(tree_.nodes[owner].slice, SliceId{i})) {
          OperatorNode& node = tree_.nodes[node_of_[i]];
          if (node.slice == SliceId{i} && !same_track(tree_.nodes[owner].slice, SliceId{i}))
            node.parent = owner;
        }
        tree_.nodes[owner].runtime_ns +=
            clipped(range_, slices.start_ns[i], trace_.end_ns(SliceId{i})).length_ns();
      }
    }
    return true;
  }

  /// Slices come in order of id, and so do the exceptions. An annotation that is no node hands on to the
  /// operator around it.
  std::uint32_t owner_node(SliceId slice) {
    const ArgumentColumns& arguments = trace_.arguments;
    while (next_exception_ < arguments.exceptions.size() && arguments.exceptions[next_exception_] < slice)
      ++next_exception_;
    if (next_exception_ < arguments.exceptions.size() && arguments.exceptions[next_exception_] == slice)
      return node_at(arguments.operators[next_exception_]);
    return node_at(owner_by_nesting(trace_, slice));
  }

  bool encloses(SliceId outer, SliceId inner) const {
    return trace_.slices.start_ns[index_of(outer)] <= trace_.slices.start_ns[index_of(inner)] &&
           trace_.end_ns(inner) <= trace_.end_ns(outer);
  }
  bool same_track(SliceId a, SliceId b) const {
    return trace_.rows[index_of(trace_.row_of(a))].track == trace_.rows[index_of(trace_.row_of(b))].track;
  }

  void merge_single_children() {
    for (const OperatorNode& node : tree_.nodes) {
      if (node.parent != kNoOperator) ++tree_.nodes[node.parent].children;
    }
    for (OperatorNode& node : tree_.nodes) {
      if (node.parent == kNoOperator) continue;
      const OperatorNode& parent = tree_.nodes[node.parent];
      node.merged = parent.children == 1 &&
                    trace_.slices.name[index_of(node.slice)] == trace_.slices.name[index_of(parent.slice)];
    }
    // Outermost first, so a parent's own parent is already one that stays.
    for (OperatorNode& node : tree_.nodes) {
      while (node.parent != kNoOperator && tree_.nodes[node.parent].merged)
        node.parent = tree_.nodes[node.parent].parent;
      if (!node.merged || node.parent == kNoOperator) continue;
      tree_.nodes[node.parent].device_ns += node.device_ns;
      tree_.nodes[node.parent].runtime_ns += node.runtime_ns;
    }
    for (OperatorNode& node : tree_.nodes) node.children = 0;
    for (const OperatorNode& node : tree_.nodes) {
      if (node.merged || node.parent == kNoOperator) continue;
      ++tree_.nodes[node.parent].children;
      tree_.nodes[node.parent].children_ns += node.duration_ns;
    }
  }

  void sum_up() {
    tree_.device_total_ns.resize(tree_.nodes.size());
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      const OperatorNode& node = tree_.nodes[i];
      if (node.merged) continue;
      tree_.device_total_ns[i] += node.device_ns;
      if (node.parent != kNoOperator) tree_.device_total_ns[node.parent] += tree_.device_total_ns[i];
    }
  }

  const Trace& trace_;
  TimeRange range_;
  OperatorTreeKinds kinds_;
  const std::stop_token& stop_;
  std::size_t next_exception_ = 0;
  std::vector<std::uint32_t> node_of_;  // by SliceId: the node it is or lies in
  OperatorTree tree_;
};

}  // namespace

OperatorTree operator_tree(const Trace& trace, TimeRange range, OperatorTreeKinds kinds,
                           const std::stop_token& stop) {
  return TreeBuilder(trace, range, kinds, stop).run();
}

}  // namespace kino
