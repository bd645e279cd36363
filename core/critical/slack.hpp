// Slack: how much later an event could be without moving the end of the window.
#pragma once

#include <cstdint>
#include <vector>

#include "core/critical/activity_graph.hpp"

namespace kino {

inline constexpr std::int64_t kNoSlack = INT64_MAX;

/// Returns the slack of each node in ns: 0 if it is critical, kNoSlack if the end does not depend on it.
/// O(edges).
std::vector<std::int64_t> node_slacks(const ActivityGraph& graph);

/// Returns the slack of a rank's GPU work, by index of RankGraph::works. `slacks`: see node_slacks().
std::vector<std::int64_t> work_slacks(const RankGraph& rank, const std::vector<std::int64_t>& slacks);

/// Percentiles of known slacks, and the number of critical pieces of work.
struct SlackSummary {
  std::uint64_t work = 0;
  std::uint64_t critical = 0;
  std::int64_t p10_ns = kNoSlack;
  std::int64_t p50_ns = kNoSlack;
  std::int64_t p90_ns = kNoSlack;
};
/// Returns the summary of all GPU work. O(work log work).
SlackSummary slack_summary(const ActivityGraph& graph, const std::vector<std::int64_t>& slacks);

/// Returns the latest node within the window, at which the critical path ends; kNoNode without nodes.
NodeId last_node(const ActivityGraph& graph);

}  // namespace kino
