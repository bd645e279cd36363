// Nodes of the lines of one recording: launches, waits, steps and loader calls in order of time.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/rank_work.hpp"

namespace kino {

/// Nodes of a call, as indices into RankGraph::line_nodes.
struct CallNodes {
  std::int32_t begin = -1;
  std::int32_t end = -1;
};

/// Nodes of calls by SliceId.
using CallNodeMap = std::unordered_map<std::uint32_t, CallNodes>;

/// A long piece of a line that ends soon after the work for which the line seems to wait.
struct ImplicitWait {
  std::size_t line = 0;
  TimeRange range;  ///< in time of the trace
  std::uint32_t work = 0;
};

/// A launch call that waits until work starts, because the queue of its stream is full.
struct FullQueue {
  SliceId call = kNoSlice;
  std::uint32_t started = 0;  ///< work that started last within the call
};

/// Finds launch calls of 20 us or more that begin while the queue of their stream has 90 % of its greatest
/// length, if that is 900 or more (CUDA: 1,024). Sorted by call. Sets RankLatencies::longest_queue.
/// O(work log work).
std::vector<FullQueue> full_queues(RankGraph& rank, const RankWork& works);

/// Fills RankGraph::line_nodes and line_first from the lines. `waits`: see waiting_calls(). O(nodes log
/// nodes).
CallNodeMap make_line_nodes(RankGraph& rank, const RankWork& works, std::span<const SliceId> waits,
                            std::span<const ImplicitWait> implicit, std::span<const FullQueue> full,
                            const std::stop_token& stop = {});

/// Finds waits without a recorded call: a piece of a line takes 500 us or more, and work that was launched
/// before it ends at most 100 us before the piece ends. This work must be the last to end of all work that was
/// launched before the piece, or execute during half of the piece. Ignores pieces that are waiting calls,
/// launch calls or data loading. O(pieces log work).
std::vector<ImplicitWait> implicit_waits(const RankGraph& rank, const RankWork& works,
                                         const std::stop_token& stop = {});

}  // namespace kino
