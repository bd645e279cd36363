#include "core/critical/graph_window.hpp"

#include <algorithm>
#include <unordered_map>

namespace kino {
namespace {

/// Returns the nodes at the begin or end of steps, by slice.
std::unordered_map<std::uint32_t, NodeId> step_marks(const RankGraph& rank, LineNode::Kind kind) {
  std::unordered_map<std::uint32_t, NodeId> marks;
  for (std::size_t i = 0; i < rank.line_nodes.size(); ++i) {
    const LineNode& node = rank.line_nodes[i];
    if (node.kind == kind) marks.try_emplace(index_of(node.slice), rank.first_line + static_cast<NodeId>(i));
  }
  return marks;
}

void set_step_window(RankGraph& rank, const RankWork& works) {
  const auto ends = step_marks(rank, LineNode::Kind::step_end);
  auto next = works.by_launch.begin();  // if steps overlap, work belongs to the first one
  for (const Step& step : rank.steps.steps) {
    const TimeRange range{rank.time.common_ns(step.range.begin_ns), rank.time.common_ns(step.range.end_ns)};
    next = std::ranges::lower_bound(next, works.by_launch.end(), range.begin_ns, {},
                                    [&](std::uint32_t work) { return works.call_begin_ns[work]; });
    std::int64_t end_ns = range.end_ns;
    std::vector<NodeId>& nodes = rank.step_nodes.emplace_back();
    if (const auto mark = ends.find(index_of(step.slice)); mark != ends.end()) nodes.push_back(mark->second);
    for (; next != works.by_launch.end() && works.call_begin_ns[*next] < range.end_ns; ++next) {
      end_ns = std::max(end_ns, works.end_ns[*next]);
      nodes.push_back(rank.end_of(*next));
    }
    rank.step_ends.push_back(end_ns);
  }
  const Step& first_step = rank.steps.steps.front();
  rank.window = {rank.time.common_ns(first_step.range.begin_ns), *std::ranges::max_element(rank.step_ends)};
  const auto begins = step_marks(rank, LineNode::Kind::step_begin);
  if (const auto mark = begins.find(index_of(first_step.slice)); mark != begins.end())
    rank.begin_node = mark->second;
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
