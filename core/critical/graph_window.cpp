#include "core/critical/graph_window.hpp"

#include <algorithm>

namespace kino {
namespace {

void set_step_window(RankGraph& rank, const RankWork& works) {
  for (const Step& step : rank.steps.steps) {
    const TimeRange range{rank.time.common_ns(step.range.begin_ns), rank.time.common_ns(step.range.end_ns)};
    const auto first = std::ranges::lower_bound(
        works.by_launch, range.begin_ns, {}, [&](std::uint32_t work) { return works.call_begin_ns[work]; });
    std::int64_t end_ns = range.end_ns;
    std::vector<NodeId>& nodes = rank.step_nodes.emplace_back();
    const auto mark = std::ranges::find_if(rank.line_nodes, [&](const LineNode& node) {
      return node.kind == LineNode::Kind::step_end && node.slice == step.slice;
    });
    if (mark != rank.line_nodes.end())
      nodes.push_back(rank.first_line + static_cast<NodeId>(mark - rank.line_nodes.begin()));
    for (auto at = first; at != works.by_launch.end() && works.call_begin_ns[*at] < range.end_ns; ++at) {
      end_ns = std::max(end_ns, works.end_ns[*at]);
      nodes.push_back(rank.end_of(*at));
    }
    rank.step_ends.push_back(end_ns);
  }
  const Step& first_step = rank.steps.steps.front();
  rank.window = {rank.time.common_ns(first_step.range.begin_ns), *std::ranges::max_element(rank.step_ends)};
  const auto mark = std::ranges::find_if(rank.line_nodes, [&](const LineNode& node) {
    return node.kind == LineNode::Kind::step_begin && node.slice == first_step.slice;
  });
  if (mark != rank.line_nodes.end())
    rank.begin_node = rank.first_line + static_cast<NodeId>(mark - rank.line_nodes.begin());
}

const LineNode& node_at(const RankGraph& rank, NodeId node) {
  return rank.line_nodes[static_cast<std::size_t>(node - rank.first_line)];
}
std::int64_t time_of(const RankGraph& rank, NodeId node) {
  return rank.time.common_ns(node_at(rank, node).time_ns);
}

/// Returns the last node of a line if the line does not end with a call that waits; otherwise kNoNode.
NodeId last_event(const RankGraph& rank, std::size_t line) {
  const NodeId last = rank.line_first[line + 1] - 1;
  if (last < rank.line_first[line] || node_at(rank, last).kind != LineNode::Kind::line_end) return kNoNode;
  return last;
}

}  // namespace

void set_window(RankGraph& rank, const RankWork& works) {
  if (!rank.steps.steps.empty()) return set_step_window(rank, works);
  TimeRange range{INT64_MAX, INT64_MIN};
  std::vector<NodeId> last_nodes;
  for (std::size_t line = 0; line + 1 < rank.line_first.size(); ++line) {
    const NodeId last = last_event(rank, line);
    if (rank.line_first[line] < rank.line_first[line + 1])
      range.begin_ns = std::min(range.begin_ns, time_of(rank, rank.line_first[line]));
    if (last == kNoNode) continue;
    last_nodes.push_back(last);
    range.end_ns = std::max(range.end_ns, time_of(rank, last));
  }
  for (std::size_t i = 0; i < works.size(); ++i) {
    range.begin_ns = std::min(range.begin_ns, works.start_ns[i]);
    range.end_ns = std::max(range.end_ns, works.end_ns[i]);
  }
  rank.window = range.begin_ns <= range.end_ns ? range : TimeRange{};
  std::vector<NodeId>& nodes = rank.step_nodes.emplace_back();
  for (std::size_t i = 0; i < works.size(); ++i) nodes.push_back(rank.end_of(i));
  nodes.insert(nodes.end(), last_nodes.begin(), last_nodes.end());
  rank.begin_node = works.size() > 0 ? rank.start_of(0) : kNoNode;
  std::int64_t first_ns = works.size() > 0 ? works.start_ns.front() : INT64_MAX;
  for (std::size_t line = 0; line + 1 < rank.line_first.size(); ++line) {
    const NodeId node = rank.line_first[line];
    if (node == rank.line_first[line + 1] || time_of(rank, node) >= first_ns) continue;
    first_ns = time_of(rank, node);
    rank.begin_node = node;
  }
}

}  // namespace kino
