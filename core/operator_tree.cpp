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
      : trace_(trace), range_(range), kinds_(kinds), stop_(stop), node_of_(trace.slice_count()) {
    if (!kinds.modules) return;
    module_.resize(trace.names.size());
    for (std::uint32_t i = 0; i < trace.names.size(); ++i)
      module_[i] = is_module_call(trace.names[i]) ? 1 : 0;
  }

  OperatorTree run() {
    if (!make_nodes() || !own_work()) return {};
    merge_single_children();
    sum_up();
    return std::move(tree_);
  }

 private:
  bool is_module(std::uint32_t slice) const {
    return kinds_.modules && trace_.slices.kind[slice] == SliceKind::python &&
           module_[index_of(trace_.slices.name[slice])] != 0;
  }

  bool wanted(std::uint32_t slice) const {
    const SliceKind kind = trace_.slices.kind[slice];
    if (kind == SliceKind::python) return is_module(slice);
    return kind == SliceKind::cpu_op || (kinds_.annotations && kind == SliceKind::annotation) ||
           (kinds_.runtime && kind == SliceKind::runtime);
  }

  /// Calls visit(i) in order of id for the slices in the range of all tracks of a kind; false when stopped.
  template <class Visit>
  bool for_each_slice(const Track& track, TimeRange range, Visit&& visit) {
    for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
      const SliceSpan part = slices_in(trace_, trace_.rows[row], range);
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
        visit(i);
      }
    }
    return true;
  }
  template <class Visit>
  bool for_each_on_cpu(Visit&& visit) {
    for (const Track& track : trace_.tracks) {
      if (track.kind == TrackKind::cpu_thread && !for_each_slice(track, range_, visit)) return false;
    }
    return true;
  }

  /// A slice's parent has a smaller id, for it lies in an outer lane of its track; so what is not wanted can
  /// hand on the node around it.
  bool make_nodes() {
    const SliceColumns& slices = trace_.slices;
    std::size_t count = 0;
    if (!for_each_on_cpu([&](std::uint32_t i) { count += wanted(i) ? 1 : 0; })) return false;
    tree_.nodes = Column<OperatorNode>(count);
    std::uint32_t made = 0;
    return for_each_on_cpu([&](std::uint32_t i) {
      const std::uint32_t parent = node_at(slices.parent[i]);
      node_of_[i] = parent + 1;
      if (!wanted(i)) return;
      OperatorNode& node = tree_.nodes[made];
      node.slice = SliceId{i};
      node.parent = parent;
      node.duration_ns = clipped(range_, slices.start_ns[i], trace_.end_ns(SliceId{i})).length_ns();
      node_of_[i] = ++made;
    });
  }

  /// The node a slice of the CPU belongs to, itself included.
  std::uint32_t node_at(SliceId slice) const {
    return slice == kNoSlice ? kNoOperator : node_of_[index_of(slice)] - 1;
  }

  bool own_work() {
    for (const Track& track : trace_.tracks) {
      if (track.kind == TrackKind::gpu_stream &&
          !for_each_slice(track, whole_range(trace_), [&](std::uint32_t i) { own_gpu_work(SliceId{i}); }))
        return false;
      if (track.kind == TrackKind::cpu_thread &&
          !for_each_slice(track, range_, [&](std::uint32_t i) { own_call(SliceId{i}); }))
        return false;
    }
    return true;
  }

  void own_gpu_work(SliceId slice) {
    if (!is_gpu_work(trace_.slices.kind[index_of(slice)])) return;
    const std::int64_t duration_ns = trace_.slices.duration_ns[index_of(slice)];
    tree_.device_ns += duration_ns;
    const std::uint32_t owner = owner_node(slice);
    if (owner == kNoOperator) return;
    tree_.nodes[owner].device_ns += duration_ns;
    tree_.owned_device_ns += duration_ns;
    if (kinds_.modules) tree_.work.push_back({slice, owner});
  }

  void own_call(SliceId slice) {
    if (trace_.slices.kind[index_of(slice)] != SliceKind::runtime) return;
    const std::uint32_t owner = owner_node(slice);
    if (owner == kNoOperator) return;
    // A call of another thread stands with the operator that asked for it.
    const std::uint32_t own = node_at(slice);
    if (kinds_.runtime && own != kNoOperator && tree_.nodes[own].slice == slice &&
        encloses(tree_.nodes[owner].slice, slice) && !same_track(tree_.nodes[owner].slice, slice)) {
      tree_.nodes[own].parent = owner;
    }
    tree_.nodes[owner].runtime_ns +=
        clipped(range_, trace_.slices.start_ns[index_of(slice)], trace_.end_ns(slice)).length_ns();
  }

  /// Slices come in order of id, and so do the exceptions. An annotation that is no node hands on to the
  /// operator around it.
  std::uint32_t owner_node(SliceId slice) {
    const ArgumentColumns& arguments = trace_.arguments;
    while (next_exception_ < arguments.exceptions.size() && arguments.exceptions[next_exception_] < slice)
      ++next_exception_;
    if (next_exception_ < arguments.exceptions.size() && arguments.exceptions[next_exception_] == slice)
      return node_at(arguments.operators[next_exception_]);
    if (!kinds_.modules) return node_at(owner_by_nesting(trace_, slice));
    const bool call = trace_.slices.kind[index_of(slice)] == SliceKind::runtime;
    return node_at(call ? slice : trace_.slices.link[index_of(slice)]);
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
    for (OperatorNode& node : tree_.nodes.span()) {
      if (node.parent == kNoOperator) continue;
      const OperatorNode& parent = tree_.nodes[node.parent];
      node.merged = parent.children == 1 && !is_module(index_of(node.slice)) &&
                    trace_.slices.name[index_of(node.slice)] == trace_.slices.name[index_of(parent.slice)];
    }
    // Outermost first, so a parent's own parent is already one that stays.
    for (OperatorNode& node : tree_.nodes.span()) {
      while (node.parent != kNoOperator && tree_.nodes[node.parent].merged)
        node.parent = tree_.nodes[node.parent].parent;
      if (!node.merged || node.parent == kNoOperator) continue;
      tree_.nodes[node.parent].device_ns += node.device_ns;
      tree_.nodes[node.parent].runtime_ns += node.runtime_ns;
    }
    for (OwnedWork& it : tree_.work) {
      if (tree_.nodes[it.node].merged) it.node = tree_.nodes[it.node].parent;
    }
    for (OperatorNode& node : tree_.nodes.span()) node.children = 0;
    for (const OperatorNode& node : tree_.nodes) {
      if (node.merged || node.parent == kNoOperator) continue;
      ++tree_.nodes[node.parent].children;
      tree_.nodes[node.parent].children_ns += node.duration_ns;
    }
  }

  void sum_up() {
    tree_.device_total_ns = Column<std::int64_t>(tree_.nodes.size());
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
  std::vector<std::uint8_t> module_;  // by NameId
  std::size_t next_exception_ = 0;
  Column<std::uint32_t> node_of_;  // by SliceId: one more than the node it is or lies in; 0: none
  OperatorTree tree_;
};

}  // namespace

bool is_module_call(std::string_view name) { return name.starts_with("nn.Module: "); }

OperatorTree operator_tree(const Trace& trace, TimeRange range, OperatorTreeKinds kinds,
                           const std::stop_token& stop) {
  return TreeBuilder(trace, range, kinds, stop).run();
}

}  // namespace kino
