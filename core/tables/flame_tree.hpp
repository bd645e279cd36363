// Weighted call stacks merged into a tree of callees or of callers, and the layout of its flame graph.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace kino {

enum class FlameDirection : std::uint8_t {
  top_down,   ///< outermost frames below the root, callees below each frame
  bottom_up,  ///< innermost frames below the root, callers below each frame
};

/// Frame of a call stack. find_path() treats frames with equal name and detail as the same frame.
struct FlameFrame {
  std::string name;
  std::string detail;             ///< additional text such as the full path; may be empty
  std::uint32_t color_group = 0;  ///< equal for related frames
  bool dim = false;               ///< whether the frame is less relevant, such as a library frame
};

struct FlameNode {
  std::uint32_t frame = 0;        ///< index passed to FlameTreeBuilder::add(); unused in the root
  std::uint32_t parent = 0;       ///< index of the parent; 0 in the root
  std::uint32_t first_child = 0;  ///< children are adjacent
  std::uint32_t child_count = 0;
  std::uint32_t depth = 0;  ///< 0 for the root
  std::uint32_t below = 0;  ///< number of descendants
  std::int64_t self = 0;    ///< weight of the stacks that end here
  std::int64_t total = 0;   ///< weight of the stacks through this node: `self` plus the totals of the
                            ///< children
};

/// Merged stacks. Nodes are stored level by level, starting with the root. Siblings are sorted by weight,
/// heaviest first; siblings of equal weight remain in order of insertion.
struct FlameTree {
  FlameDirection direction = FlameDirection::top_down;
  std::vector<FlameNode> nodes;
  std::uint32_t levels = 0;  ///< number of levels below the root

  bool empty() const { return nodes.size() < 2; }
  std::span<const FlameNode> children(std::uint32_t node) const {
    return std::span(nodes).subspan(nodes[node].first_child, nodes[node].child_count);
  }
};

struct FlameGraph {
  FlameTree tree;
  std::vector<FlameFrame> frames;  ///< indexed by FlameNode::frame
};

/// Merges stacks into a FlameTree. Single use: call add() for each stack, then finish().
class FlameTreeBuilder {
 public:
  explicit FlameTreeBuilder(FlameDirection direction);
  /// Adds a stack. The outermost frame is first, whatever the direction of the tree. Sums saturate; negative
  /// weights count as 0. O(frames).
  void add(std::span<const std::uint32_t> frames, std::int64_t weight);
  /// Returns the tree. O(nodes * log siblings).
  FlameTree finish();

 private:
  struct Bucket {
    std::uint64_t key = 0;   // parent and frame
    std::uint32_t node = 0;  // 0: free
  };
  std::uint32_t child_of(std::uint32_t parent, std::uint32_t frame);
  void grow();

  FlameTree tree_;
  std::vector<Bucket> buckets_;  // a power of two, linear probing, at most half full
};

/// Box of the picture: a node, or a group of siblings that are too narrow for separate boxes.
struct FlameBox {
  std::uint32_t node = 0;      ///< the parent if left_out > 0
  std::uint32_t left_out = 0;  ///< number of nodes in the group, including descendants; 0: the box is a
                               ///< single node
  double begin_px = 0;
  double end_px = 0;
};

struct FlameLayout {
  std::vector<FlameBox> boxes;            ///< row by row, each from the left
  std::vector<std::uint32_t> row_begins;  ///< index of the first box of each row, by depth; the last entry is
                                          ///< the number of boxes
  std::uint64_t left_out = 0;             ///< number of nodes below the focus without a separate box

  std::size_t rows() const { return row_begins.empty() ? 0 : row_begins.size() - 1; }
  std::span<const FlameBox> row(std::size_t depth) const {
    return std::span(boxes).subspan(row_begins[depth], row_begins[depth + 1] - row_begins[depth]);
  }
};

/// Lays out `focus` over the whole width, with its ancestors above it. Siblings narrower than `least_px`
/// share one box if together they are at least this wide, and are left out otherwise. At most 20,000 rows
/// below the focus. O(boxes + their children).
FlameLayout lay_out(const FlameTree& tree, std::uint32_t focus, double width_px, double least_px);
/// Returns the box at a position, or null if there is none. O(log boxes).
const FlameBox* box_at(const FlameLayout& layout, std::size_t depth, double x_px);

/// Returns the summed weight of the stacks through `focus` that have a matching frame at `focus` or below it.
/// Each stack counts once. `matches` is indexed by frame. O(nodes).
std::int64_t matched_weight(const FlameTree& tree, std::uint32_t focus, const std::vector<bool>& matches);

/// Returns the nodes from the child of the root down to `node`; empty for the root.
std::vector<std::uint32_t> path_to(const FlameTree& tree, std::uint32_t node);
/// Follows `path` from the root as far as frames of equal name and detail exist, and returns the last node
/// reached. Finds a focused frame in another graph.
std::uint32_t find_path(const FlameGraph& graph, std::span<const FlameFrame> path);

/// Returns folded stacks, the input of flame graph tools: one line per stack, outermost frame first
/// ("main;forward;matmul 4096"). Semicolons and line ends in names are replaced.
std::string folded_text(const FlameGraph& graph, const std::stop_token& stop = {});

}  // namespace kino
