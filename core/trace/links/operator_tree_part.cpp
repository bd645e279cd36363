#include "core/trace/links/operator_tree_part.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/trace/links/gpu_work.hpp"

namespace kino {

/// A range [first, last) of indices of nodes, slices or calls.
struct PartSpan {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

namespace {

constexpr std::uint32_t kNoNode = OperatorNode::kNone;
constexpr std::uint32_t kOwnedBlock = 256;  // nodes

/// Splits spans into pieces for one thread each.
std::vector<PartSpan> cut(const std::vector<PartSpan>& spans) {
  std::vector<PartSpan> pieces;
  for (const PartSpan& span : spans) {
    for (std::uint32_t first = span.first; first < span.last;
         first += std::min(kCancelStride, span.last - first))
      pieces.push_back({first, first + std::min(kCancelStride, span.last - first)});
  }
  return pieces;
}

std::uint32_t node_from(const OperatorTree& tree, PartSpan among, std::uint32_t slice) {
  const auto nodes = tree.nodes.span().subspan(among.first, among.last - among.first);
  const auto at = std::ranges::lower_bound(nodes, SliceId{slice}, {}, &OperatorNode::slice);
  return among.first + static_cast<std::uint32_t>(at - nodes.begin());
}

std::int64_t owned_by(const OperatorNode& node) { return node.merged ? 0 : node.device_ns; }

}  // namespace

class PartMaker {
 public:
  PartMaker(const Trace& trace, const WholeOperatorTree& whole, TimeRange range, const std::stop_token& stop,
            OperatorTreePart& part)
      : trace_(trace),
        whole_(whole),
        tree_(whole.tree),
        range_(range),
        stop_(stop),
        part_(part),
        nodes_(whole.tree.nodes.span()) {}

  /// Derives the part. Returns false if it must be built from the trace instead.
  bool run() {
    if (!whole_.divisible || !find_rows()) return false;
    find_edge();
    if (!edge_.empty()) {
      sum_up();
      merge();
      finish();
    }
    write();
    if (whole_.kinds.modules) keep_work();
    return true;
  }

 private:
  /// A node that crosses an edge of the range, or is merged into such a node.
  struct Edge {
    std::uint32_t node = kNoNode;
    std::uint32_t children = 0;  // number of children in the range that are unmerged in the whole tree
    std::uint32_t child = kNoNode;
    std::uint32_t merged_into = kNoNode;
    std::int64_t children_ns = 0;
    std::int64_t runtime_ns = 0;
    std::int64_t device_ns = 0;
    std::int64_t below_ns = 0;    // device time of all nodes below
    bool below_is_whole = false;  // whether below_ns is complete
  };

  bool summed_calls() const { return !whole_.kinds.runtime && !whole_.kinds.modules; }
  bool in(SliceId slice) const { return in_range(range_, trace_.start_ns(slice), trace_.duration_ns(slice)); }
  /// Whether a slice crosses an edge of the range or touches its end. A node that touches the end may lose a
  /// child of zero length there.
  bool crosses_edge(SliceId slice) const {
    return trace_.start_ns(slice) < range_.begin_ns || trace_.end_ns(slice) >= range_.end_ns;
  }
  std::int64_t length_ns(SliceId slice) const {
    return clipped(range_, trace_.start_ns(slice), trace_.end_ns(slice)).length_ns();
  }

  /// Finds the nodes and slices of each row in the range. Returns false if a slice of zero length at the very
  /// start is in the range but its parent is not.
  bool find_rows() {
    for (const Track& track : trace_.tracks) {
      if (track.kind != TrackKind::cpu_thread) continue;
      for (std::uint32_t row = track.first_row; row < track.first_row + track.row_count; ++row) {
        const SliceWindow slices = row_window(trace_, trace_.rows[row], range_);
        for (std::uint32_t i = slices.first; i < slices.last && trace_.slices.duration_ns[i] == 0 &&
                                             trace_.slices.start_ns[i] == range_.begin_ns;
             ++i) {
          if (trace_.slices.parent[i] != kNoSlice && !in(trace_.slices.parent[i])) return false;
        }
        const PartSpan all{whole_.first_node[row], whole_.first_node[row + 1]};
        const PartSpan inside{node_from(tree_, all, slices.first), node_from(tree_, all, slices.last)};
        if (inside.first < inside.last) rows_.push_back(inside);
        if (slices.first < slices.last) slices_.push_back({slices.first, slices.last});
      }
    }
    return true;
  }

  void find_edge() {
    std::vector<std::uint32_t> edge;
    for (const PartSpan& row : rows_) {
      // Slices of a row are disjoint, so only the first and the last can cross an edge.
      if (crosses_edge(nodes_[row.first].slice)) edge.push_back(row.first);
      if (crosses_edge(nodes_[row.last - 1].slice)) edge.push_back(row.last - 1);
    }
    std::sort(edge.begin(), edge.end());
    edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
    for (const std::uint32_t node : edge) edge_.push_back({node});
    mark();
  }

  void mark() {
    marked_.assign(nodes_.size(), false);
    for (const Edge& edge : edge_) marked_[edge.node] = true;
  }

  Edge& edge_at(std::vector<Edge>& edge, std::uint32_t node) const {
    return *std::ranges::lower_bound(edge, node, {}, &Edge::node);
  }

  /// Adds the figures of the nodes and calls in the range to their parents at an edge.
  void sum_up() {
    const std::vector<PartSpan> nodes = cut(rows_);
    const std::vector<PartSpan> calls = cut(calls_in_range());
    const unsigned threads = nodes.size() + calls.size() > 1 ? thread_count_or_default(0) : 1;
    std::vector<std::vector<Edge>> sums(threads);
    parallel_for(threads, nodes.size() + calls.size(), stop_, [&](std::size_t i, unsigned worker) {
      std::vector<Edge>& edge = sums[worker];
      if (edge.empty()) edge = edge_;
      if (i < nodes.size()) {
        add_nodes(nodes[i], edge);
      } else {
        add_calls(calls[i - nodes.size()], edge);
      }
    });
    for (const std::vector<Edge>& worker_sums : sums) {
      for (std::size_t i = 0; i < worker_sums.size(); ++i) {
        Edge& edge = edge_[i];
        edge.children += worker_sums[i].children;
        if (worker_sums[i].child != kNoNode) edge.child = worker_sums[i].child;
        add_saturating(edge.children_ns, worker_sums[i].children_ns);
        add_saturating(edge.runtime_ns, worker_sums[i].runtime_ns);
        add_saturating(edge.below_ns, worker_sums[i].below_ns);
      }
    }
    // GPU work always counts in full. Merged nodes, however, may be outside the range with all of their work.
    for (Edge& edge : edge_) edge.device_ns = nodes_[edge.node].device_ns;
    for (const std::uint32_t node : whole_.merged) {
      const std::uint32_t parent = whole_.parents[node];
      if (!marked_[parent] || in(nodes_[node].slice)) continue;
      subtract_saturating(edge_at(edge_, parent).device_ns, nodes_[node].device_ns);
    }
  }

  std::vector<PartSpan> calls_in_range() const {
    std::vector<PartSpan> spans;
    if (!summed_calls()) return spans;
    const auto call_index = [&](std::uint32_t slice) {
      const auto call = std::ranges::lower_bound(tree_.calls, SliceId{slice}, {}, &OwnedSlice::slice);
      return static_cast<std::uint32_t>(call - tree_.calls.begin());
    };
    for (const PartSpan& row : slices_) spans.push_back({call_index(row.first), call_index(row.last)});
    return spans;
  }

  void add_nodes(PartSpan piece, std::vector<Edge>& edge) const {
    Edge* sums = nullptr;
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      const std::uint32_t parent = whole_.parents[i];
      if (parent == kNoNode || !marked_[parent] || nodes_[i].merged) continue;
      if (sums == nullptr || sums->node != parent) sums = &edge_at(edge, parent);
      ++sums->children;
      sums->child = i;
      add_saturating(sums->children_ns, length_ns(nodes_[i].slice));
      if (!whole_.kinds.modules && !marked_[i]) add_saturating(sums->below_ns, tree_.device_total_ns[i]);
    }
  }

  void add_calls(PartSpan piece, std::vector<Edge>& edge) const {
    Edge* sums = nullptr;
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      const OwnedSlice& call = tree_.calls[i];
      if (!marked_[call.node]) continue;
      if (sums == nullptr || sums->node != call.node) sums = &edge_at(edge, call.node);
      add_saturating(sums->runtime_ns, length_ns(call.slice));
    }
  }

  /// Merges children that are their parent's only child in the range. In the whole tree, the children that
  /// are merged into a node enclose each other and all its other children. So if only one of these other
  /// children is in the range, it is the only child of its parent there.
  void merge() {
    std::vector<Edge> inside;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merged;  // (child, parent)
    for (const Edge& edge : edge_) {
      if (nodes_[edge.node].merged || edge.children != 1) continue;
      const SliceId child = nodes_[edge.child].slice;
      const bool module = whole_.kinds.modules && trace_.kind(child) == SliceKind::python &&
                          is_module_call(trace_.name_of(child));
      if (module || trace_.name(child) != trace_.name(nodes_[edge.node].slice)) continue;
      merged.emplace_back(edge.child, edge.node);
      if (marked_[edge.child]) continue;
      const OperatorNode& node = nodes_[edge.child];
      const std::int64_t total_ns = whole_.kinds.modules ? 0 : tree_.device_total_ns[edge.child];
      inside.push_back({edge.child, 0, kNoNode, kNoNode, node.children_ns, node.runtime_ns, node.device_ns,
                        saturating_subtract(total_ns, node.device_ns), true});
    }
    if (merged.empty()) return;
    edge_.insert(edge_.end(), inside.begin(), inside.end());
    std::ranges::sort(edge_, {}, &Edge::node);
    mark();
    std::sort(merged.rbegin(), merged.rend());
    for (const auto& [child, parent] : merged) {
      edge_at(edge_, child).merged_into = parent;
      part_.merged_here_.push_back({child, parent});
    }
  }

  /// Adds the figures of each node at an edge to the node around it, innermost first.
  void finish() {
    for (std::size_t i = edge_.size(); i-- > 0;) {
      const Edge& edge = edge_[i];
      const std::uint32_t parent = whole_.parents[edge.node];
      if (nodes_[edge.node].merged) continue;
      if (edge.merged_into != kNoNode) {
        Edge& around = edge_at(edge_, edge.merged_into);
        around.children_ns = edge.children_ns;
        add_saturating(around.runtime_ns, edge.runtime_ns);
        add_saturating(around.device_ns, edge.device_ns);
        around.below_ns = edge.below_ns;
      } else if (parent != kNoNode && marked_[parent]) {
        Edge& around = edge_at(edge_, parent);
        if (!around.below_is_whole)
          add_saturating(around.below_ns, saturating_add(edge.device_ns, edge.below_ns));
      }
    }
  }

  void write() {
    part_.device_ns_ = tree_.device_ns;
    for (const Edge& edge : edge_) {
      OperatorNode node = nodes_[edge.node];
      node.duration_ns = length_ns(node.slice);
      if (!node.merged) {
        subtract_saturating(part_.owned_device_ns_, node.device_ns);
        node.merged = edge.merged_into != kNoNode;
        node.children_ns = edge.children_ns;
        node.runtime_ns = edge.runtime_ns;
        node.device_ns = edge.device_ns;
        if (!node.merged) add_saturating(part_.owned_device_ns_, node.device_ns);
      }
      node.parent = part_.parent_of(node);
      part_.edge_nodes_.push_back(node);
      part_.edge_total_ns_.push_back(saturating_add(edge.device_ns, edge.below_ns));
    }
    std::size_t edge = 0;
    for (const PartSpan& row : rows_) {
      part_.take_start(trace_.start_ns(nodes_[row.first].slice));
      std::uint32_t first = row.first;
      for (; edge < edge_.size() && edge_[edge].node < row.last; ++edge) {
        const std::uint32_t node = edge_[edge].node;
        part_.add_pieces(tree_, first, node - first, first);
        part_.pieces_.push_back({node, std::span(part_.edge_nodes_).subspan(edge, 1), {}});
        if (!whole_.kinds.modules)
          part_.pieces_.back().device_total_ns = std::span(part_.edge_total_ns_).subspan(edge, 1);
        first = node + 1;
      }
      part_.add_pieces(tree_, first, row.last - first, first);
      add_saturating(part_.owned_device_ns_, owned_ns(row));
    }
  }

  /// Returns the device time that the nodes of the row own, as in the whole tree.
  std::int64_t owned_ns(PartSpan row) const {
    const auto before = [&](std::uint32_t node) {
      std::int64_t sum = whole_.owned_ns[node / kOwnedBlock];
      for (std::uint32_t i = node / kOwnedBlock * kOwnedBlock; i < node; ++i)
        add_saturating(sum, owned_by(nodes_[i]));
      return sum;
    };
    return whole_.kinds.modules ? 0 : before(row.last) - before(row.first);
  }

  /// Keeps the work whose launch, or whose operator by External id, is in the range.
  void keep_work() {
    const std::span<const SliceId> exceptions = trace_.arguments.exceptions.span();
    const std::span<const OwnedSlice> all(tree_.work);
    const std::vector<PartSpan> pieces = cut({{0, static_cast<std::uint32_t>(all.size())}});
    std::vector<std::vector<OwnedSlice>> work_by_piece(pieces.size());
    parallel_for(thread_count_or_default(0), pieces.size(), stop_, [&](std::size_t p, unsigned) {
      auto next = std::lower_bound(exceptions.begin(), exceptions.end(), all[pieces[p].first].slice);
      for (std::uint32_t i = pieces[p].first; i < pieces[p].last; ++i) {
        OwnedSlice work = all[i];
        while (next != exceptions.end() && *next < work.slice) ++next;
        const bool named = next != exceptions.end() && *next == work.slice;
        if (!in(named ? trace_.arguments.operators[static_cast<std::size_t>(next - exceptions.begin())]
                      : trace_.link(work.slice))) {
          continue;
        }
        work.node = part_.merged_target(work.node);
        work_by_piece[p].push_back(work);
      }
    });
    for (const std::vector<OwnedSlice>& piece_work : work_by_piece) {
      part_.own_work_.insert(part_.own_work_.end(), piece_work.begin(), piece_work.end());
      for (const OwnedSlice& work : piece_work)
        add_saturating(part_.owned_device_ns_, trace_.duration_ns(work.slice));
    }
    part_.work_ = part_.own_work_;
  }

  const Trace& trace_;
  const WholeOperatorTree& whole_;
  const OperatorTree& tree_;
  const TimeRange range_;
  const std::stop_token& stop_;
  OperatorTreePart& part_;
  const std::span<const OperatorNode> nodes_;
  std::vector<PartSpan> rows_;    // nodes of the range, by row
  std::vector<PartSpan> slices_;  // CPU slices of the range, by row
  std::vector<Edge> edge_;        // by node
  std::vector<bool> marked_;      // by node: whether it is in edge_
};

WholeOperatorTree whole_operator_tree(const Trace& trace, OperatorTreeKinds kinds,
                                      const std::stop_token& stop) {
  WholeOperatorTree whole;
  whole.kinds = kinds;
  whole.tree = operator_tree(trace, whole_range(trace), kinds, stop);
  std::int64_t all_ns = 0;
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    add_saturating(all_ns, trace.slices.duration_ns[i]);
  }
  whole.divisible = whole.tree.divisible && all_ns < std::numeric_limits<std::int64_t>::max();
  const std::span<const OperatorNode> nodes = std::as_const(whole.tree.nodes).span();
  whole.parents = PooledColumn<std::uint32_t>(nullptr, nodes.size());
  std::int64_t owned_ns = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (i % kOwnedBlock == 0) whole.owned_ns.push_back(owned_ns);
    whole.parents[i] = nodes[i].parent;
    if (nodes[i].merged) whole.merged.push_back(i);
    add_saturating(owned_ns, owned_by(nodes[i]));
  }
  whole.owned_ns.push_back(owned_ns);
  const PartSpan all{0, static_cast<std::uint32_t>(nodes.size())};
  for (const Row& row : trace.rows) whole.first_node.push_back(node_from(whole.tree, all, row.first_slice));
  whole.first_node.push_back(all.last);
  return whole;
}

OperatorTreePart::OperatorTreePart(const Trace& trace, const OperatorTree& tree)
    : whole_size_(tree.nodes.size()),
      device_ns_(tree.device_ns),
      owned_device_ns_(tree.owned_device_ns),
      work_(tree.work) {
  add_pieces(tree, 0, static_cast<std::uint32_t>(tree.nodes.size()), 0);
  for (const OperatorNode& node : tree.nodes) take_start(trace.start_ns(node.slice));
}

OperatorTreePart::OperatorTreePart(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                                   const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool)
    : whole_size_(whole.tree.nodes.size()) {
  if (whole.first_node.empty()) return;  // stopped
  if (!PartMaker(trace, whole, range, stop, *this).run()) rebuild(trace, whole, range, stop, pool);
}

void OperatorTreePart::add_pieces(const OperatorTree& tree, std::uint32_t from, std::uint32_t count,
                                  std::uint32_t first) {
  for (const PartSpan& span : cut({{from, from + count}})) {
    Piece& piece = pieces_.emplace_back();
    piece.first = first + (span.first - from);
    piece.nodes = tree.nodes.span().subspan(span.first, span.last - span.first);
    if (!tree.device_total_ns.empty())
      piece.device_total_ns = tree.device_total_ns.span().subspan(span.first, span.last - span.first);
  }
}

/// Builds the tree of the range and maps its nodes to the nodes of the whole tree, one run of adjacent slices
/// at a time.
void OperatorTreePart::rebuild(const Trace& trace, const WholeOperatorTree& whole, TimeRange range,
                               const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool) {
  own_ = std::make_unique<OperatorTree>(operator_tree(trace, range, whole.kinds, stop, pool));
  const std::span<OperatorNode> nodes = own_->nodes.span();
  const std::span<const OperatorNode> all = whole.tree.nodes.span();
  std::vector<std::uint32_t> whole_index(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size();) {
    const PartSpan remaining{i > 0 ? whole_index[i - 1] : 0, static_cast<std::uint32_t>(all.size())};
    const std::uint32_t first = node_from(whole.tree, remaining, index_of(nodes[i].slice));
    const std::uint32_t from = i;
    for (; i < nodes.size() && first + (i - from) < all.size() &&
           all[first + (i - from)].slice == nodes[i].slice;
         ++i)
      whole_index[i] = first + (i - from);
    add_pieces(*own_, from, i - from, first);
  }
  for (OperatorNode& node : nodes) {
    take_start(trace.start_ns(node.slice));
    if (node.parent != kNoNode) node.parent = whole_index[node.parent];
  }
  for (OwnedSlice& work : own_->work) work.node = whole_index[work.node];
  device_ns_ = own_->device_ns;
  owned_device_ns_ = own_->owned_device_ns;
  work_ = own_->work;
}

std::optional<std::uint32_t> OperatorTreePart::find(SliceId slice) const {
  const auto after = std::ranges::upper_bound(pieces_, slice, {},
                                              [](const Piece& piece) { return piece.nodes.front().slice; });
  if (after == pieces_.begin()) return std::nullopt;
  const Piece& piece = *std::prev(after);
  const auto found = std::ranges::lower_bound(piece.nodes, slice, {}, &OperatorNode::slice);
  if (found == piece.nodes.end() || found->slice != slice) return std::nullopt;
  return piece.first + static_cast<std::uint32_t>(found - piece.nodes.begin());
}

std::size_t OperatorTreePart::piece_of(std::span<const Piece> pieces, std::uint32_t index) {
  const auto after = std::ranges::upper_bound(pieces, index, {}, &Piece::first);
  return after == pieces.begin() ? pieces.size() : static_cast<std::size_t>(after - pieces.begin()) - 1;
}

const OperatorNode* OperatorTreePart::node(std::uint32_t index) const {
  const std::size_t at = piece_of(pieces_, index);
  if (at == pieces_.size()) return nullptr;
  const Piece& piece = pieces_[at];
  return index - piece.first < piece.nodes.size() ? &piece.nodes[index - piece.first] : nullptr;
}

}  // namespace kino
