#include "core/critical/slack.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/critical/critical_path.hpp"

namespace kino {

NodeId last_node(const ActivityGraph& graph) {
  NodeId last = kNoNode;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto node = static_cast<NodeId>(i);
    if (graph.time_ns[i] > graph.window.end_ns) continue;
    if (last == kNoNode || graph.time_ns[i] > graph.time_of(last)) last = node;
  }
  return last;
}

std::vector<std::int64_t> node_slacks(const ActivityGraph& graph) {
  std::vector<std::int64_t> latest(graph.size(), kNoSlack);
  const NodeId last = last_node(graph);
  if (last == kNoNode) return latest;
  latest[static_cast<std::size_t>(last)] = graph.time_of(last);
  for (std::size_t i = graph.order.size(); i > 0; --i) {
    const NodeId node = graph.order[i - 1];
    const auto index = static_cast<std::size_t>(node);
    if (latest[index] == kNoSlack) continue;
    for (const GraphEdge& edge : graph.edges_of(node)) {
      if (edge.source == kNoNode || (edge.flags & GraphEdge::kInert) != 0) continue;
      std::int64_t& source = latest[static_cast<std::size_t>(edge.source)];
      const std::int64_t latest_ns = saturating_subtract(latest[index], graph.residual_ns[index]);
      source = std::min(source, saturating_subtract(latest_ns, graph.lag_of(node, edge)));
    }
  }
  for (std::size_t i = 0; i < latest.size(); ++i) {
    if (latest[i] != kNoSlack)
      latest[i] = std::max<std::int64_t>(0, saturating_subtract(latest[i], graph.time_ns[i]));
  }
  return latest;
}

std::vector<std::int64_t> work_slacks(const RankGraph& rank, const std::vector<std::int64_t>& slacks) {
  std::vector<std::int64_t> of_work;
  of_work.reserve(rank.works.size());
  for (std::size_t i = 0; i < rank.works.size(); ++i)
    of_work.push_back(slacks[static_cast<std::size_t>(rank.end_of(i))]);
  return of_work;
}

SlackSummary slack_summary(const ActivityGraph& graph, const std::vector<std::int64_t>& slacks) {
  SlackSummary summary;
  std::vector<std::int64_t> known;
  for (const RankGraph& rank : graph.ranks) {
    for (const std::int64_t slack_ns : work_slacks(rank, slacks)) {
      ++summary.work;
      if (slack_ns == kNoSlack) continue;
      summary.critical += slack_ns == 0 ? 1 : 0;
      known.push_back(slack_ns);
    }
  }
  if (known.empty()) return summary;
  std::ranges::sort(known);
  summary.p10_ns = known[known.size() / 10];
  summary.p50_ns = known[known.size() / 2];
  summary.p90_ns = known[known.size() * 9 / 10];
  return summary;
}

std::optional<std::int64_t> TraceSlacks::slack_of(SliceId slice) const {
  const auto found = std::ranges::lower_bound(works, slice);
  if (found == works.end() || *found != slice) return std::nullopt;
  return slack_ns[static_cast<std::size_t>(found - works.begin())];
}

TraceSlacks trace_slacks(const Trace& trace, const std::stop_token& stop) {
  TraceSlacks result;
  const ActivityGraph graph = activity_graph(trace, stop);
  if (stop.stop_requested() || graph.ranks.empty()) return result;
  if (critical_path(graph).explained(graph.window) < CriticalPath::kLeastExplained) return result;
  const RankGraph& rank = graph.ranks.front();
  const std::vector<std::int64_t> of_work = work_slacks(rank, node_slacks(graph));
  std::vector<std::pair<SliceId, std::int64_t>> sorted;
  sorted.reserve(of_work.size());
  for (std::size_t i = 0; i < of_work.size(); ++i) sorted.emplace_back(rank.works[i].slice, of_work[i]);
  std::ranges::sort(sorted);
  result.works.reserve(sorted.size());
  result.slack_ns.reserve(sorted.size());
  for (const auto& [slice, slack] : sorted) {
    result.works.push_back(slice);
    result.slack_ns.push_back(slack);
  }
  return result;
}

}  // namespace kino
