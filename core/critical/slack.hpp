// Slack: how much later an event could be without moving the end of the window.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/trace/trace.hpp"

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

/// Slack of each piece of GPU work of a trace.
struct TraceSlacks {
  std::vector<SliceId> works;          ///< sorted
  std::vector<std::int64_t> slack_ns;  ///< of `works`; kNoSlack if the end does not depend on it

  /// Returns nullopt if the slice is not GPU work, or if there are no slacks. O(log work).
  std::optional<std::int64_t> slack_of(SliceId slice) const;
};
/// Builds the graph of the trace and returns the slacks. There are none if less than
/// CriticalPath::kLeastExplained of the path is explained. The cost is that of activity_graph(). Unspecified
/// if stopped.
TraceSlacks trace_slacks(const Trace& trace, const std::stop_token& stop = {});

/// Returns the latest node within the window, at which the critical path ends; kNoNode without nodes.
NodeId last_node(const ActivityGraph& graph);

}  // namespace kino
