#include "core/trace/links/operator_tree.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/call_nesting.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNoOperator = OperatorNode::kNone;

/// Adds to sums that several threads share; each thread has its own object. Combines consecutive additions to
/// the same sum, since neighbors mostly have the same parent. Separate atomic additions would account for
/// half of the run time.
template <class Number>
class SharedSums {
 public:
  SharedSums() = default;
  SharedSums(const SharedSums&) = delete;
  SharedSums& operator=(const SharedSums&) = delete;
  ~SharedSums() { flush(); }

  void add(Number& sum, Number addend) {
    if (sum_ != &sum) flush();
    sum_ = &sum;
    pending_ = sum_of(pending_, addend);
  }

 private:
  /// Counts of slices fit 32 bits; durations saturate.
  static std::uint32_t sum_of(std::uint32_t a, std::uint32_t b) { return a + b; }
  static std::int64_t sum_of(std::int64_t a, std::int64_t b) { return saturating_add(a, b); }
  void flush() {
    if (sum_ != nullptr && pending_ != 0) {
      const std::atomic_ref<Number> sum(*sum_);
      Number before = sum.load(std::memory_order_relaxed);
      while (!sum.compare_exchange_weak(before, sum_of(before, pending_), std::memory_order_relaxed)) {
      }
    }
    pending_ = 0;
  }

  Number* sum_ = nullptr;
  Number pending_ = 0;
};

/// A part of a row for one thread.
struct RowPiece {
  static constexpr std::uint32_t kMost = kCancelStride;

  std::uint32_t first = 0;  ///< slices [first, last)
  std::uint32_t last = 0;
  std::uint32_t row = 0;  ///< index in Trace::rows
  bool gpu = false;
  std::uint32_t first_node = 0;  ///< nodes [first_node, last_node)
  std::uint32_t last_node = 0;
};

class TreeBuilder {
 public:
  TreeBuilder(const Trace& trace, TimeRange range, OperatorTreeKinds kinds, const std::stop_token& stop,
              const std::shared_ptr<MemoryPool>& pool)
      : trace_(trace),
        range_(range),
        kinds_(kinds),
        stop_(stop),
        pool_(pool),
        node_of_(pool, trace.slice_count()) {
    if (!kinds.modules) return;
    module_.resize(trace.names.size());
    for (std::uint32_t i = 0; i < trace.names.size(); ++i)
      module_[i] = is_module_call(trace.names[i]) ? 1 : 0;
  }

  OperatorTree run() {
    cut();
    make_nodes();
    nest_crossing_tracks();
    own_work();
    merge_single_children();
    if (irregular_) cover_callers();
    if (!kinds_.modules) sum_up();
    if (stop_.stop_requested()) return {};
    tree_.divisible = !irregular_;
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

  /// Splits the parts of CPU rows in the range, and the whole rows of GPU streams, into pieces.
  void cut() {
    for (const Track& track : trace_.tracks) {
      const bool gpu = track.kind == TrackKind::gpu_stream;
      if (!gpu && track.kind != TrackKind::cpu_thread) continue;
      for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
        const SliceWindow part = row_window(trace_, trace_.rows[row], gpu ? whole_range(trace_) : range_);
        for (std::uint32_t first = part.first; first < part.last; first += RowPiece::kMost)
          pieces_.push_back({first, std::min(first + RowPiece::kMost, part.last), row, gpu});
      }
    }
  }

  /// Calls body(i) for every i in [0, count) on all threads, or on this one if count is 1.
  template <class Body>
  void each(std::size_t count, const Body& body) const {
    parallel_for(count > 1 ? thread_count_or_default(0) : 1, count, stop_,
                 [&](std::size_t i, unsigned) { body(i); });
  }
  /// Calls body(piece) for all CPU pieces, row by row. Enclosing slices are in earlier rows, so they are
  /// visited earlier (later if `inwards` is false). The pieces of a row run on all threads.
  template <class Body>
  void each_row(bool inwards, const Body& body) {
    const std::size_t count = pieces_.size();
    for (std::size_t done = 0; done < count && !stop_.stop_requested();) {
      std::size_t first = inwards ? done : count - done - 1;
      std::size_t last = first + 1;
      while (inwards && last < count && pieces_[last].row == pieces_[first].row) ++last;
      while (!inwards && first > 0 && pieces_[first - 1].row == pieces_[first].row) --first;
      done += last - first;
      if (!pieces_[first].gpu) each(last - first, [&](std::size_t i) { body(pieces_[first + i]); });
    }
  }

  /// Makes a node for each slice of a wanted kind. A slice's parent is in an earlier row, so a slice that is
  /// not a node can pass on the node around it.
  void make_nodes() {
    const SliceColumns& slices = trace_.slices;
    std::vector<std::uint32_t> counts(pieces_.size());
    each(pieces_.size(), [&](std::size_t p) {
      for (std::uint32_t i = pieces_[p].first; i < pieces_[p].last && !pieces_[p].gpu; ++i)
        counts[p] += wanted(i) ? 1 : 0;
    });
    std::uint32_t count = 0;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      pieces_[p].first_node = count;
      pieces_[p].last_node = count += counts[p];
    }
    tree_.nodes = PooledColumn<OperatorNode>(pool_, count);
    if (!kinds_.modules) tree_.device_total_ns = PooledColumn<std::int64_t>(pool_, count);
    clear_nodes_outside();
    each_row(true, [&](const RowPiece& piece) {
      std::uint32_t made = piece.first_node;
      SharedSums<std::uint32_t> children;
      for (std::uint32_t i = piece.first; i < piece.last; ++i) {
        const std::uint32_t parent = crosses(piece.row) ? kNoOperator : node_at(slices.parent[i]);
        node_of_[i] = parent + 1;
        if (!wanted(i)) continue;
        if (slices.parent[i] != kNoSlice && is_summed_call(slices.parent[i]))
          irregular_.store(true, std::memory_order_relaxed);
        OperatorNode node;
        node.slice = SliceId{i};
        node.parent = parent;
        node.duration_ns = clipped(range_, slices.start_ns[i], trace_.end_ns(SliceId{i})).length_ns();
        tree_.nodes[made] = node;
        if (!kinds_.modules) tree_.device_total_ns[made] = 0;
        node_of_[i] = ++made;
        if (parent != kNoOperator) children.add(tree_.nodes[parent].children, 1U);
      }
    });
  }

  bool crosses(std::uint32_t row) const { return trace_.track(trace_.rows[row].track).spilled_count > 0; }

  /// Finds the parents on tracks where slices do not nest, although slices of the wanted kinds may.
  void nest_crossing_tracks() {
    std::vector<const Track*> tracks;
    for (const Track& track : trace_.tracks) {
      if (track.kind == TrackKind::cpu_thread && track.spilled_count > 0) tracks.push_back(&track);
    }
    each(tracks.size(), [&](std::size_t i) { nest(*tracks[i]); });
  }

  void nest(const Track& track) {
    bool overlap = false;
    std::int64_t calls_until_ns = std::numeric_limits<std::int64_t>::min();
    const auto chosen = [this](SliceId slice) { return wanted(index_of(slice)); };
    for_each_nested_call(trace_, track, range_, stop_, chosen, [&](const NestedCall& call) {
      const std::uint32_t parent = node_at(call.caller);
      const std::int64_t start_ns = trace_.start_ns(call.slice);
      const bool node = chosen(call.slice);
      const bool summed = !node && is_summed_call(call.slice);
      if (node || summed) overlap = overlap || call.free_from_ns > start_ns || start_ns < calls_until_ns;
      if (summed) calls_until_ns = std::max(calls_until_ns, trace_.end_ns(call.slice));
      if (!node) {
        node_of_[index_of(call.slice)] = parent + 1;
        return;
      }
      if (parent == kNoOperator) return;
      const std::uint32_t own = node_at(call.slice);
      tree_.nodes[own].parent = parent;
      ++tree_.nodes[parent].children;
      overlap = overlap || parent > own;
    });
    if (overlap) irregular_.store(true, std::memory_order_relaxed);
  }

  /// Whether a slice is a runtime call that adds to its operator's runtime_ns.
  bool is_summed_call(SliceId slice) const {
    return !kinds_.runtime && !kinds_.modules && trace_.kind(slice) == SliceKind::runtime;
  }

  /// Clears the entries of node_of_ for slices that are not in a CPU piece.
  void clear_nodes_outside() {
    if (node_of_.zero()) return;
    const std::span<std::uint32_t> all = node_of_.span();
    std::size_t done = 0;
    for (const RowPiece& piece : pieces_) {
      if (piece.gpu) continue;
      std::fill(all.begin() + static_cast<std::ptrdiff_t>(done), all.begin() + piece.first, 0U);
      done = piece.last;
    }
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(done), all.end(), 0U);
  }

  /// Returns the node of a CPU slice or, if it is not a node, the innermost node around it; kNoOperator if
  /// there is none.
  std::uint32_t node_at(SliceId slice) const {
    return slice == kNoSlice ? kNoOperator : node_of_[index_of(slice)] - 1;
  }

  /// Work and calls with an owner in one piece.
  struct Owned {
    std::vector<OwnedSlice> work;
    std::vector<OwnedSlice> calls;
    std::int64_t device_ns = 0;
    std::int64_t owned_device_ns = 0;
    std::size_t next_exception = 0;
    SharedSums<std::int64_t> sums;
  };

  void own_work() {
    std::vector<Owned> owned(pieces_.size());
    each(pieces_.size(), [&](std::size_t p) {
      const RowPiece& piece = pieces_[p];
      const auto exceptions = trace_.arguments.exceptions.span();
      const auto next = std::lower_bound(exceptions.begin(), exceptions.end(), SliceId{piece.first});
      owned[p].next_exception = static_cast<std::size_t>(next - exceptions.begin());
      for (std::uint32_t i = piece.first; i < piece.last; ++i) {
        if (piece.gpu) {
          own_gpu_work(SliceId{i}, owned[p]);
        } else if (!kinds_.modules) {
          own_call(SliceId{i}, owned[p]);
        }
      }
    });
    for (const Owned& part : owned) {
      add_saturating(tree_.device_ns, part.device_ns);
      add_saturating(tree_.owned_device_ns, part.owned_device_ns);
      tree_.work.insert(tree_.work.end(), part.work.begin(), part.work.end());
      tree_.calls.insert(tree_.calls.end(), part.calls.begin(), part.calls.end());
    }
  }

  void own_gpu_work(SliceId slice, Owned& owned) {
    if (!is_gpu_work(trace_.kind(slice))) return;
    const std::int64_t duration_ns = trace_.duration_ns(slice);
    add_saturating(owned.device_ns, duration_ns);
    const std::uint32_t owner = owner_node(slice, owned);
    if (owner == kNoOperator) return;
    add_saturating(owned.owned_device_ns, duration_ns);
    if (kinds_.modules) {
      owned.work.push_back({slice, owner});
    } else {
      owned.sums.add(tree_.nodes[owner].device_ns, duration_ns);
    }
  }

  void own_call(SliceId slice, Owned& owned) {
    if (trace_.kind(slice) != SliceKind::runtime) return;
    const bool summed = is_summed_call(slice);
    const std::uint32_t owner =
        summed && !is_exception(slice, owned) ? node_at(slice) : owner_node(slice, owned);
    if (owner == kNoOperator) return;
    if (!summed) {
      move_call(slice, owner);
      return;
    }
    const TimeRange part = part_within(slice, tree_.nodes[owner].slice);
    if (part.length_ns() == 0) return;
    owned.sums.add(tree_.nodes[owner].runtime_ns, part.length_ns());
    owned.calls.push_back({slice, owner});
    const SliceId around = trace_.parent(slice);
    if ((around != kNoSlice && is_summed_call(around)) || is_exception(slice, owned))
      irregular_.store(true, std::memory_order_relaxed);
  }

  /// Returns the part of a call that is in the range and within the operator.
  TimeRange part_within(SliceId call, SliceId around) const {
    const std::int64_t begin_ns = trace_.start_ns(around);
    const TimeRange own = clipped(range_, begin_ns, trace_.end_ns(around));
    return clipped(own, trace_.start_ns(call), trace_.end_ns(call));
  }

  /// If the operator that a call's External id names is on another thread and encloses the call in time,
  /// makes the call its child.
  void move_call(SliceId slice, std::uint32_t owner) {
    const std::uint32_t own = node_at(slice);
    if (own == kNoOperator || tree_.nodes[own].slice != slice || tree_.nodes[own].parent == owner) return;
    const SliceId around = tree_.nodes[owner].slice;
    if (!encloses(around, slice) || same_track(around, slice)) return;
    tree_.nodes[own].parent = owner;
    irregular_.store(true, std::memory_order_relaxed);
  }

  /// Returns the node that owns the slice. Slices within a piece must be passed in ascending order. If the
  /// owner is an annotation that is not a node, returns the node around it.
  std::uint32_t owner_node(SliceId slice, Owned& owned) const {
    if (is_exception(slice, owned)) return node_at(trace_.arguments.operators[owned.next_exception]);
    if (!kinds_.modules) return node_at(owner_by_nesting(trace_, slice));
    const bool call = trace_.kind(slice) == SliceKind::runtime;
    return node_at(call ? slice : trace_.link(slice));
  }

  /// Whether the slice's External id contradicts the nesting. Slices within a piece must be passed in
  /// ascending order.
  bool is_exception(SliceId slice, Owned& owned) const {
    const ArgumentColumns& arguments = trace_.arguments;
    std::size_t& next = owned.next_exception;
    while (next < arguments.exceptions.size() && arguments.exceptions[next] < slice) ++next;
    return next < arguments.exceptions.size() && arguments.exceptions[next] == slice;
  }

  bool encloses(SliceId outer, SliceId inner) const {
    return trace_.start_ns(outer) <= trace_.start_ns(inner) && trace_.end_ns(inner) <= trace_.end_ns(outer);
  }
  bool same_track(SliceId a, SliceId b) const { return trace_.track_of(a) == trace_.track_of(b); }

  /// Merges single children into their parents. OperatorNode::children is not changed by merging.
  void merge_single_children() {
    const std::span<OperatorNode> nodes = tree_.nodes.span();
    const auto decide = [&](OperatorNode& node) {
      if (node.parent == kNoOperator) return;
      const OperatorNode& parent = nodes[node.parent];
      node.merged = parent.children == 1 && !is_module(index_of(node.slice)) &&
                    trace_.name(node.slice) == trace_.name(parent.slice);
    };
    // With irregular trees, the parent may be in a later row, so decide for all nodes first.
    if (irregular_) std::for_each(nodes.begin(), nodes.end(), decide);
    // Visit outer rows first, so that a parent's own parent is final.
    each_row(true, [&](const RowPiece& piece) {
      SharedSums<std::int64_t> children;
      SharedSums<std::int64_t> passed_on;
      for (std::size_t i = piece.first_node; i < piece.last_node; ++i) {
        OperatorNode& node = nodes[i];
        if (!irregular_) decide(node);
        while (node.parent != kNoOperator && nodes[node.parent].merged)
          node.parent = nodes[node.parent].parent;
        if (node.parent == kNoOperator) continue;
        OperatorNode& parent = nodes[node.parent];
        if (node.merged) {
          passed_on.add(parent.device_ns, node.device_ns);
          passed_on.add(parent.runtime_ns, node.runtime_ns);
        } else {
          children.add(parent.children_ns, node.duration_ns);
        }
      }
    });
    const auto follow = [&](auto& owned) {
      for (auto& entry : owned) {
        if (nodes[entry.node].merged) entry.node = nodes[entry.node].parent;
      }
    };
    follow(tree_.work);
    follow(tree_.calls);
  }

  /// A part of a node's time that a child or a runtime call covers.
  struct Covered {
    std::uint32_t node = kNoOperator;
    bool by_call = false;
    TimeRange range;
  };

  /// Computes children_ns and runtime_ns of the nodes of an irregular tree. If children of one node overlap,
  /// their time counts once. The durations of runtime calls are summed, as in the TensorBoard plugin, but
  /// together with the children they do not exceed the node's duration.
  void cover_callers() {
    const std::span<OperatorNode> nodes = tree_.nodes.span();
    std::vector<Covered> covered;
    for (OperatorNode& node : nodes) {
      node.children_ns = 0;
      node.runtime_ns = 0;
      if (!node.merged && node.parent != kNoOperator)
        covered.push_back({node.parent, false, part_within(node.slice, nodes[node.parent].slice)});
    }
    for (const OwnedSlice& call : tree_.calls)
      covered.push_back({call.node, true, part_within(call.slice, nodes[call.node].slice)});
    std::ranges::sort(covered, {},
                      [](const Covered& part) { return std::pair(part.node, part.range.begin_ns); });
    for (std::size_t first = 0; first < covered.size() && !stop_.stop_requested();) {
      std::size_t last = first + 1;
      while (last < covered.size() && covered[last].node == covered[first].node) ++last;
      cover(std::span(covered).subspan(first, last - first));
      first = last;
    }
  }

  /// Sets children_ns and runtime_ns of the node to which all `parts` belong. They must be sorted by start.
  void cover(std::span<const Covered> parts) {
    std::int64_t by_children_ns = 0;
    std::int64_t by_calls_ns = 0;
    std::int64_t until_ns = parts.front().range.begin_ns;
    for (const Covered& part : parts) {
      if (part.by_call) {
        add_saturating(by_calls_ns, part.range.length_ns());
        continue;
      }
      by_children_ns +=
          std::max<std::int64_t>(0, part.range.end_ns - std::max(part.range.begin_ns, until_ns));
      until_ns = std::max(until_ns, part.range.end_ns);
    }
    OperatorNode& node = tree_.nodes[parts.front().node];
    node.children_ns = by_children_ns;
    node.runtime_ns = std::min(by_calls_ns, node.duration_ns - by_children_ns);
  }

  void sum_up() {
    const std::span<const OperatorNode> nodes = std::as_const(tree_.nodes).span();
    const std::span<std::int64_t> totals = tree_.device_total_ns.span();
    const auto add_to_parent = [&](std::size_t i, SharedSums<std::int64_t>& sums) {
      if (nodes[i].merged) return;
      add_saturating(totals[i], nodes[i].device_ns);
      const std::int64_t total = totals[i];
      if (total != 0 && nodes[i].parent != kNoOperator) sums.add(totals[nodes[i].parent], total);
    };
    if (irregular_) {
      for (const std::uint32_t i : callees_first()) {
        SharedSums<std::int64_t> sums;
        add_to_parent(i, sums);
      }
      return;
    }
    each_row(false, [&](const RowPiece& piece) {
      SharedSums<std::int64_t> sums;
      for (std::size_t i = piece.first_node; i < piece.last_node; ++i) add_to_parent(i, sums);
    });
  }

  /// Returns the unmerged nodes, children before parents. Indices of parents may be smaller or larger than
  /// their children's.
  std::vector<std::uint32_t> callees_first() const {
    const std::span<const OperatorNode> nodes = tree_.nodes.span();
    std::vector<std::uint32_t> waits_for(nodes.size());
    for (const OperatorNode& node : nodes) {
      if (!node.merged && node.parent != kNoOperator) ++waits_for[node.parent];
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].merged && waits_for[i] == 0) order.push_back(i);
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      const std::uint32_t parent = nodes[order[done]].parent;
      if (parent != kNoOperator && --waits_for[parent] == 0) order.push_back(parent);
    }
    return order;
  }

  const Trace& trace_;
  TimeRange range_;
  OperatorTreeKinds kinds_;
  const std::stop_token& stop_;
  const std::shared_ptr<MemoryPool>& pool_;
  std::vector<std::uint8_t> module_;     // by NameId: whether it is a module call
  std::vector<RowPiece> pieces_;         // in the order of their slices
  std::atomic<bool> irregular_{false};   // whether the tree is not divisible
  PooledColumn<std::uint32_t> node_of_;  // by SliceId: one more than its node or the node around it; 0: none
  OperatorTree tree_;
};

}  // namespace

bool is_module_call(std::string_view name) { return name.starts_with("nn.Module: "); }

OperatorTree operator_tree(const Trace& trace, TimeRange range, OperatorTreeKinds kinds,
                           const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool) {
  return TreeBuilder(trace, range, kinds, stop, pool).run();
}

}  // namespace kino
