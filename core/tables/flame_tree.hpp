// Weighted call stacks merged into a tree, as flame graphs and icicles show it: by callers or by callees.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kino {

enum class FlameDirection : std::uint8_t {
  top_down,   ///< below the root are the outermost frames, below each what it called
  bottom_up,  ///< below the root are the innermost frames, below each what called it
};

/// What a frame is called. Frames with the same label are the same frame.
struct FlameFrame {
  std::string name;
  std::string detail;             ///< more about it, such as the whole path; may be empty
  std::uint32_t color_group = 0;  ///< frames that belong together have the same
  bool dim = false;               ///< of less interest, such as a library's
};

struct FlameNode {
  std::uint32_t frame = 0;        ///< the caller's number of it; of the root nothing
  std::uint32_t parent = 0;       ///< of the root itself
  std::uint32_t first_child = 0;  ///< children lie side by side
  std::uint32_t child_count = 0;
  std::uint32_t depth = 0;  ///< 0: the root
  std::uint32_t below = 0;  ///< nodes under it, at any depth
  std::int64_t self = 0;    ///< of the stacks that end here
  std::int64_t total = 0;   ///< with all below
};

/// Nodes level by level; siblings the heaviest first, equal ones in the order in which they came. Node 0 is
/// the root of all.
struct FlameTree {
  FlameDirection direction = FlameDirection::top_down;
  std::vector<FlameNode> nodes;
  std::uint32_t levels = 0;  ///< without the root

  bool empty() const { return nodes.size() < 2; }
  std::span<const FlameNode> children(std::uint32_t node) const {
    return std::span(nodes).subspan(nodes[node].first_child, nodes[node].child_count);
  }
};

struct FlameGraph {
  FlameTree tree;
  std::vector<FlameFrame> frames;  ///< FlameNode::frame is an index
};

/// Used once: add() each stack, then finish().
class FlameTreeBuilder {
 public:
  explicit FlameTreeBuilder(FlameDirection direction);
  /// Frames outermost first, in either direction. Sums stop at the largest number there is; weights below 0
  /// are taken as 0. O(frames).
  void add(std::span<const std::uint32_t> frames, std::int64_t weight);
  /// O(nodes * log siblings).
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

/// A box of the picture: a node, or the siblings at the end of a row of children that are too narrow for one
/// each.
struct FlameBox {
  std::uint32_t node = 0;      ///< when left_out > 0 their parent
  std::uint32_t left_out = 0;  ///< how many nodes it stands for, with all below them; 0: it is the node
  double begin_px = 0;
  double end_px = 0;
};

struct FlameLayout {
  std::vector<FlameBox> boxes;            ///< row by row, each from the left
  std::vector<std::uint32_t> row_begins;  ///< of each row, by depth, and the end
  std::uint64_t left_out = 0;             ///< nodes without a box of their own

  std::size_t rows() const { return row_begins.empty() ? 0 : row_begins.size() - 1; }
  std::span<const FlameBox> row(std::size_t depth) const {
    return std::span(boxes).subspan(row_begins[depth], row_begins[depth + 1] - row_begins[depth]);
  }
};

/// `focus` fills the width with its ancestors above it. Nodes narrower than `least_px` are not laid out;
/// where they have that width together they share one box. Below the focus are at most 20,000 rows. O(boxes).
FlameLayout lay_out(const FlameTree& tree, std::uint32_t focus, double width_px, double least_px);
/// The box at a position, or null. O(log boxes).
const FlameBox* box_at(const FlameLayout& layout, std::size_t depth, double x_px);

/// The weight, under `focus`, of the stacks with a matching frame at or below it, each counted once.
/// `matches` is by frame. O(nodes).
std::int64_t matched_weight(const FlameTree& tree, std::uint32_t focus, const std::vector<bool>& matches);

/// From the child of the root down to the node; empty for the root.
std::vector<std::uint32_t> path_to(const FlameTree& tree, std::uint32_t node);
/// The node with the longest common begin of these frames from the root on, compared by name and detail:
/// finds in a graph what was focused in another.
std::uint32_t find_path(const FlameGraph& graph, std::span<const FlameFrame> path);

/// One line a stack, outermost frame first: "main;forward;matmul 4096", as flame graph tools read it.
/// Semicolons and line ends in names are replaced. Part of it when stopped.
std::string folded_text(const FlameGraph& graph, const std::stop_token& stop = {});

}  // namespace kino
