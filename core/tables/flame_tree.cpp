#include "core/tables/flame_tree.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr std::size_t kFirstFlameBuckets = 1024;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::size_t hash_of(std::uint64_t key) {
  key *= 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(key ^ (key >> 29));
}

/// Sorts nodes into the order that FlameTree requires. Parents precede their children in the input.
class LevelOrder {
 public:
  explicit LevelOrder(std::vector<FlameNode> grown) : grown_(std::move(grown)) { collect_children(); }

  std::vector<FlameNode> nodes() {
    std::vector<std::uint32_t> order{0};  // index into grown_, by new index
    std::vector<FlameNode> nodes;
    order.reserve(grown_.size());
    nodes.reserve(grown_.size());
    std::vector<std::uint32_t> parent_of{0};
    parent_of.reserve(grown_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      FlameNode node = grown_[order[i]];
      const std::uint32_t first = begins_[order[i]];
      const std::uint32_t end = begins_[order[i] + 1];
      node.parent = parent_of[i];
      node.depth = i == 0 ? 0 : nodes[node.parent].depth + 1;
      node.first_child = static_cast<std::uint32_t>(order.size());
      node.child_count = end - first;
      std::stable_sort(children_.begin() + first, children_.begin() + end,
                       [&](std::uint32_t a, std::uint32_t b) { return grown_[a].total > grown_[b].total; });
      for (std::uint32_t c = first; c < end; ++c) {
        order.push_back(children_[c]);
        parent_of.push_back(i);
      }
      nodes.push_back(node);
    }
    return nodes;
  }

 private:
  void collect_children() {
    begins_.assign(grown_.size() + 1, 0);
    for (std::size_t i = 1; i < grown_.size(); ++i) ++begins_[grown_[i].parent + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    children_.resize(grown_.size() - 1);
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t i = 1; i < grown_.size(); ++i) children_[next[grown_[i].parent]++] = i;
  }

  std::vector<FlameNode> grown_;
  std::vector<std::uint32_t> begins_;  // index into children_ of the first child of each node, then the size
                                       // of children_
  std::vector<std::uint32_t> children_;
};

bool same(const FlameFrame& a, const FlameFrame& b) { return a.name == b.name && a.detail == b.detail; }

void append_folded_name(std::string& text, std::string_view name) {
  for (const char c : name) text += c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c;
}

}  // namespace

FlameTreeBuilder::FlameTreeBuilder(FlameDirection direction) : buckets_(kFirstFlameBuckets) {
  tree_.direction = direction;
  tree_.nodes.emplace_back();
}

void FlameTreeBuilder::add(std::span<const std::uint32_t> frames, std::int64_t weight) {
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool down = tree_.direction == FlameDirection::top_down;
    node = child_of(node, frames[down ? i : frames.size() - 1 - i]);
  }
  tree_.nodes[node].self = saturating_add(tree_.nodes[node].self, std::max<std::int64_t>(0, weight));
}

std::uint32_t FlameTreeBuilder::child_of(std::uint32_t parent, std::uint32_t frame) {
  const std::uint64_t key = std::uint64_t{parent} << 32U | frame;
  const std::size_t mask = buckets_.size() - 1;
  std::size_t i = hash_of(key) & mask;
  while (buckets_[i].node != 0 && buckets_[i].key != key) i = (i + 1) & mask;
  if (buckets_[i].node != 0) return buckets_[i].node;
  if (tree_.nodes.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("FlameTreeBuilder");
  }
  const auto node = static_cast<std::uint32_t>(tree_.nodes.size());
  tree_.nodes.push_back({.frame = frame, .parent = parent});
  buckets_[i] = {key, node};
  if (2 * tree_.nodes.size() > buckets_.size()) grow();
  return node;
}

void FlameTreeBuilder::grow() {
  std::vector<Bucket> old(2 * buckets_.size());
  old.swap(buckets_);
  const std::size_t mask = buckets_.size() - 1;
  for (const Bucket& bucket : old) {
    if (bucket.node == 0) continue;
    std::size_t i = hash_of(bucket.key) & mask;
    while (buckets_[i].node != 0) i = (i + 1) & mask;
    buckets_[i] = bucket;
  }
}

FlameTree FlameTreeBuilder::finish() {
  std::vector<FlameNode>& nodes = tree_.nodes;
  for (FlameNode& node : nodes) node.total = node.self;
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    FlameNode& parent = nodes[nodes[i].parent];
    parent.total = saturating_add(parent.total, nodes[i].total);
    parent.below += nodes[i].below + 1;
  }
  nodes = LevelOrder(std::move(nodes)).nodes();
  tree_.levels = nodes.back().depth;
  return std::move(tree_);
}

FlameLayout lay_out(const FlameTree& tree, std::uint32_t focus, double width_px, double least_px) {
  constexpr std::size_t kMaxFlameRows = 20'000;
  FlameLayout layout;
  if (tree.nodes.empty()) return layout;
  std::vector<std::uint32_t> above = path_to(tree, focus);
  above.insert(above.begin(), 0);
  for (const std::uint32_t node : above) {
    layout.row_begins.push_back(static_cast<std::uint32_t>(layout.boxes.size()));
    layout.boxes.push_back({node, 0, 0, width_px});
  }
  const auto total = static_cast<double>(tree.nodes[focus].total);
  const double px_per_weight = total > 0 ? width_px / total : 0;
  for (std::size_t from = layout.boxes.size() - 1; from < layout.boxes.size();) {
    const std::size_t end = layout.boxes.size();
    const bool last = layout.row_begins.size() >= above.size() + kMaxFlameRows;
    layout.row_begins.push_back(static_cast<std::uint32_t>(end));
    for (std::size_t b = from; b < end; ++b) {
      const FlameBox box = layout.boxes[b];
      if (box.left_out > 0) continue;
      if (last) {
        layout.left_out += tree.nodes[box.node].below;
        continue;
      }
      double x = box.begin_px;
      std::int64_t rest = 0;
      std::uint32_t left_out = 0;
      for (const FlameNode& child : tree.children(box.node)) {
        const double width = static_cast<double>(child.total) * px_per_weight;
        if (width < least_px) {
          rest = saturating_add(rest, child.total);
          left_out += child.below + 1;
          continue;
        }
        const auto index = static_cast<std::uint32_t>(&child - tree.nodes.data());
        layout.boxes.push_back({index, 0, x, std::min(box.end_px, x + width)});
        x += width;
      }
      layout.left_out += left_out;
      const double width = static_cast<double>(rest) * px_per_weight;
      if (left_out > 0 && width >= least_px) {
        layout.boxes.push_back({box.node, left_out, x, std::min(box.end_px, x + width)});
      }
    }
    from = end;
  }
  return layout;
}

const FlameBox* box_at(const FlameLayout& layout, std::size_t depth, double x_px) {
  if (depth >= layout.rows()) return nullptr;
  const auto row = layout.row(depth);
  const auto after = std::ranges::upper_bound(row, x_px, {}, &FlameBox::begin_px);
  if (after == row.begin()) return nullptr;
  const FlameBox& box = *(after - 1);
  return x_px < box.end_px ? &box : nullptr;
}

std::int64_t matched_weight(const FlameTree& tree, std::uint32_t focus, const std::vector<bool>& matches) {
  if (tree.nodes.empty()) return 0;
  std::int64_t sum = 0;
  enum : std::uint8_t { outside, inside, counted };
  std::vector<std::uint8_t> state(tree.nodes.size(), outside);
  for (std::size_t i = focus; i < tree.nodes.size(); ++i) {
    const FlameNode& node = tree.nodes[i];
    state[i] = i == focus ? std::uint8_t{inside} : state[node.parent];
    if (state[i] != inside || i == 0 || !matches[node.frame]) continue;
    state[i] = counted;
    sum = saturating_add(sum, node.total);
  }
  return sum;
}

std::vector<std::uint32_t> path_to(const FlameTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> path;
  for (; node != 0; node = tree.nodes[node].parent) path.push_back(node);
  std::ranges::reverse(path);
  return path;
}

std::uint32_t find_path(const FlameGraph& graph, std::span<const FlameFrame> path) {
  std::uint32_t at = 0;
  for (const FlameFrame& frame : path) {
    const auto children = graph.tree.children(at);
    const auto next = std::ranges::find_if(
        children, [&](const FlameNode& child) { return same(graph.frames[child.frame], frame); });
    if (next == children.end()) break;
    at = graph.tree.nodes[at].first_child + static_cast<std::uint32_t>(next - children.begin());
  }
  return at;
}

std::string folded_text(const FlameGraph& graph, const std::stop_token& stop) {
  const FlameTree& tree = graph.tree;
  std::string text;
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) break;
    if (tree.nodes[i].self == 0) continue;
    std::vector<std::uint32_t> path = path_to(tree, i);
    if (tree.direction == FlameDirection::bottom_up) std::ranges::reverse(path);
    for (std::size_t p = 0; p < path.size(); ++p) {
      if (p > 0) text += ';';
      append_folded_name(text, graph.frames[tree.nodes[path[p]].frame].name);
    }
    text += ' ' + std::to_string(tree.nodes[i].self) + '\n';
  }
  return text;
}

}  // namespace kino
