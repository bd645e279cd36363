// Re-timing: the times of all nodes if durations, lags or waits were different.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/path_cause.hpp"

namespace kino {

/// Changes of one rank. Factors are relative to the recorded times; 1 changes nothing.
struct RankCostChange {
  std::vector<float> work;                       ///< factor of each piece of work; empty: no change
  std::array<double, kPathCauseCount> thread{};  ///< factor of thread time by cause
  double moving = 1;                             ///< factor of the transfer time of collectives
  double bus_gb_per_s = 0;                       ///< bandwidth of the transfers; 0: as recorded
  std::vector<std::uint8_t> sync_names;  ///< by NameId: 1 if calls of this name no longer wait; may be empty
  std::vector<std::uint8_t> streams;     ///< by stream: 1 if its work need not be in order; may be empty
  bool graphs = false;                   ///< whether launches cost no time, as in a CUDA graph
  bool overlap = false;                  ///< whether work of other streams does not wait for collectives

  RankCostChange() { thread.fill(1); }
  bool scales_thread() const;
};

/// Changes of all ranks, by index of ActivityGraph::ranks.
using GraphChange = std::vector<RankCostChange>;

/// Assumptions of a replay.
enum class Reading : std::uint8_t {
  kept,          ///< unexplained time stays as recorded: the forecast
  no_residual,   ///< unexplained time would not occur
  no_inferred,   ///< waits that are concluded from times alone do not exist
  others_fixed,  ///< the other ranks do not change: for a rank whose peers are not recorded
  own_pace,      ///< workers of data loaders deliver at their own pace
  typical,       ///< typical latencies, and no unexplained time: tests how well the graph explains the times
};
inline constexpr std::size_t kReadingCount = static_cast<std::size_t>(Reading::typical) + 1;

/// Result of a replay.
struct Replay {
  std::vector<std::int64_t> time_ns;  ///< of each node, in common time
  std::int64_t length_ns = 0;
  std::vector<std::int64_t> step_ends;  ///< of the first rank
  TimeRange window;                     ///< in common time
  NodeId last = kNoNode;                ///< node at the end of the window
  /// Index of the binding edge of each node, or -1; only ReplayDetail::with_edges.
  std::vector<std::int32_t> binding;
};

enum class ReplayDetail : std::uint8_t { times, with_edges };

/// Replays the graph once in order. O(edges); with factors of thread time also O(pieces log pieces).
Replay replayed(const ActivityGraph& graph, const GraphChange& change, Reading reading,
                ReplayDetail detail = ReplayDetail::times);

/// Whether the edge precedes the other one if both end at the same time: by kind, then the later source, then
/// the smaller id of the source. `a_ns` and `b_ns` are the times of the sources.
bool edge_precedes(const GraphEdge& a, std::int64_t a_ns, const GraphEdge& b, std::int64_t b_ns);

}  // namespace kino
