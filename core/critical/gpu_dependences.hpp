// Edges of GPU work: what the start of each piece of work had to wait for.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/line_nodes.hpp"
#include "core/critical/rank_work.hpp"

namespace kino {

/// An edge while the graph is built. Until lags are known, `edge.lag_ns` is kRecordedLag.
struct DraftEdge {
  NodeId target = kNoNode;
  GraphEdge edge;
};

/// Inputs of the edges of one recording.
struct EdgeInputs {
  RankGraph& rank;
  const RankWork& works;
  const CallNodeMap& calls;
  std::span<const SliceId> waits;  ///< see waiting_calls()
  std::span<const ImplicitWait> implicit;
  std::span<const FullQueue> full_queues;  ///< sorted by call
  bool has_whole_us = false;
};

/// Appends the edges of launches, streams and waits for events. Counts RankGraph::sourceless_waits.
/// O(work log work); with wait calls also O(slices + wait calls * streams * log work).
void add_work_edges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges,
                    const std::stop_token& stop = {});

/// Appends an edge to each start that is over 8 us after `latest_ns`: from the last work of another stream
/// that ended up to 12 us before. `latest_ns`: for each piece of work, the latest source time plus lag;
/// INT64_MIN without an edge. O(work log work).
void add_edges_from_times(const RankGraph& rank, const RankWork& works,
                          std::span<const std::int64_t> latest_ns, std::vector<DraftEdge>& edges);

/// Appends the edges of the lines: chains, returns of waits, full queues, loader calls and bursts.
void add_line_edges(const EdgeInputs& inputs, std::vector<DraftEdge>& edges,
                    const std::stop_token& stop = {});

/// Computes the latencies of a recording from the edges of its nodes, and sets the lags of these edges.
void set_lags(const EdgeInputs& inputs, std::span<const std::int64_t> time_ns, std::span<DraftEdge> edges);

}  // namespace kino
