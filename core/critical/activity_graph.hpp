// The activity graph of a recording: moments of threads and GPU work, and what each had to wait for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/critical/rank_clock.hpp"
#include "core/critical/thread_lines.hpp"
#include "core/job/job_analysis.hpp"
#include "core/trace/steps.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Index of a node. Negative: none.
using NodeId = std::int32_t;
inline constexpr NodeId kNoNode = -1;

/// Kinds of edges, in order of precedence: if several edges bind, the first kind is on the path.
enum class EdgeKind : std::uint8_t {
  chain,         ///< a thread, from one node to the next
  launch,        ///< from a launch call to the start of its work
  stream_order,  ///< from the end of earlier work of the stream
  start_order,   ///< from the start of earlier work of the stream that still runs
  event_calls,  ///< from work of another stream, concluded from a wait call: the trace does not store its event
  wait_times,   ///< from work of another stream, concluded from times alone
  sync_return,  ///< from the end of work to the return of a call that waits for it
  work,         ///< from the start of work to its end
  arrival,      ///< from the start of a collective on each rank to the last arrival
  move,         ///< from the last arrival to the end on each rank
  loader,       ///< from one batch of a data loader with workers to the next
  hand_off,     ///< from the main thread to the start of activity of another line
};
inline constexpr std::size_t kEdgeKindCount = static_cast<std::size_t>(EdgeKind::hand_off) + 1;
/// Returns "cpu chain", "launch", ...
std::string_view text_of(EdgeKind kind);

/// Statistics of the differences between two kinds of moments in one recording.
struct Latency {
  std::int64_t least_ns = 0;    ///< 10th percentile
  std::int64_t typical_ns = 0;  ///< median
  std::uint64_t samples = 0;    ///< 0: least_ns and typical_ns are defaults
};

struct RankLatencies {
  Latency launch;  ///< from the end of a call to the start of its work on an idle stream
  Latency gap;     ///< between two pieces of work that were queued
  Latency cross;   ///< between two streams
  Latency back;    ///< from the end of work to the return of the call
  std::int64_t longest_queue = 0;
};

/// Incoming edge of a node. `lag_ns` is the minimum time after the source; kRecordedLag: as recorded.
struct GraphEdge {
  static constexpr std::int32_t kRecordedLag = INT32_MIN;

  NodeId source = kNoNode;
  std::int32_t lag_ns = kRecordedLag;
  EdgeKind kind = EdgeKind::chain;
  std::uint8_t flags = 0;

  static constexpr std::uint8_t kInferred = 1;    ///< concluded from times, not from a recorded call
  static constexpr std::uint8_t kIdle = 2;        ///< launch on an idle stream
  static constexpr std::uint8_t kCallBegin = 4;   ///< launch from the start of the call
  static constexpr std::uint8_t kOwnCost = 8;     ///< chain edge of a call that waits
  static constexpr std::uint8_t kInert = 16;      ///< applies only in the readings `others_fixed` and
                                                  ///< `own_pace`
  static constexpr std::uint8_t kWaited = 32;     ///< sync return from a moment within the call
  static constexpr std::uint8_t kFullQueue = 64;  ///< sync return of a launch call that waits because the
                                                  ///< queue is full
};

/// A moment of a line.
struct LineNode {
  std::int64_t time_ns = 0;  ///< in time of the trace
  SliceId slice = kNoSlice;  ///< launch, wait, step or loader call
  enum class Kind : std::uint8_t {
    line_begin,
    step_begin,
    loader_begin,
    hand_off,  ///< on the main line, at the start of a burst of another line
    burst_begin,
    call_begin,
    call_end,
    wait_begin,
    wait_end,
    loader_end,
    step_end,
    line_end,
    implicit_begin,
    implicit_end,
  } kind = Kind::line_begin;
};

/// Reason why the start of a piece of work is unexplained.
enum class UnexplainedReason : std::uint8_t { none, earlier_work, no_launch, graph, queued };

/// One piece of GPU work. Its nodes are RankGraph::first_work + 2 i (start) and + 1 (end).
struct GraphWork {
  SliceId slice = kNoSlice;
  std::uint32_t stream = 0;      ///< index into RankGraph::streams
  std::int32_t collective = -1;  ///< index into RankGraph::collectives
};

/// One collective of a rank.
struct GraphCollective {
  std::uint32_t work = 0;
  std::int32_t instance = -1;    ///< index into ActivityGraph::arrivals, if matched
  std::int64_t shortest_ns = 0;  ///< shortest duration of the same operation on this rank
  std::int32_t before = -1;      ///< index of the previous collective of this rank
  double bus_bytes = 0;          ///< see bus_bytes(); 0 if unknown
};

/// One recording within the graph.
struct RankGraph {
  const Trace* trace = nullptr;
  std::int64_t rank = -1;
  RankTimeline time;
  Steps steps;
  NodeId first_work = 0;
  std::vector<GraphWork> works;  ///< sorted by start
  std::vector<TrackId> streams;
  std::vector<SliceId> first_works;          ///< first work of each stream
  std::vector<GraphCollective> collectives;  ///< sorted by start
  NodeId first_line = 0;                     ///< first node of the lines
  std::vector<ThreadLine> lines;
  std::vector<NodeId> line_first;  ///< first node of each line, then the end of the last line
  std::vector<LineNode> line_nodes;
  RankLatencies latencies;
  TimeRange window;                     ///< in common time
  std::vector<std::int64_t> step_ends;  ///< in common time
  NodeId begin_node = kNoNode;          ///< at the start of the window
  /// By step, the nodes of which the latest is the end of the step. Without steps, one list for the whole
  /// window.
  std::vector<std::vector<NodeId>> step_nodes;
  std::uint64_t implicit_waits = 0;
  std::uint64_t sourceless_waits = 0;  ///< wait calls without work that they could wait for

  NodeId start_of(std::size_t work) const { return first_work + static_cast<NodeId>(2 * work); }
  NodeId end_of(std::size_t work) const { return start_of(work) + 1; }
};

/// Nodes and edges of one or several ranks. Immutable once built; refers to the traces, and to the clocks of
/// the job.
struct ActivityGraph {
  std::vector<RankGraph> ranks;
  std::vector<std::int64_t> time_ns;          ///< of each node, in common time
  std::vector<std::uint32_t> first_edge;      ///< first edge of each node, then the number of edges
  std::vector<GraphEdge> edges;               ///< sorted by target
  std::vector<NodeId> order;                  ///< all nodes, sources before targets
  std::vector<std::int64_t> residual_ns;      ///< time minus the latest (source time + lag), at least 0
  std::vector<std::vector<NodeId>> arrivals;  ///< starts of the members of each matched collective
  NodeId first_arrival = 0;                   ///< node of the first matched collective
  std::array<std::uint64_t, kEdgeKindCount> edge_counts{};
  std::uint64_t forced = 0;  ///< nodes that lost edges to break a cycle
  TimeRange window;          ///< in common time

  std::size_t size() const { return time_ns.size(); }
  std::span<const GraphEdge> edges_of(NodeId node) const {
    const auto i = static_cast<std::size_t>(node);
    return std::span(edges).subspan(first_edge[i], first_edge[i + 1] - first_edge[i]);
  }
  std::int64_t time_of(NodeId node) const { return time_ns[static_cast<std::size_t>(node)]; }
  std::int64_t lag_of(NodeId target, const GraphEdge& edge) const {
    return edge.lag_ns == GraphEdge::kRecordedLag ? time_of(target) - time_of(edge.source) : edge.lag_ns;
  }
  /// Returns the index of the node's rank; for the node of a matched collective, the number of ranks. O(log
  /// ranks).
  std::size_t rank_of(NodeId node) const;
};

/// Builds the graph of one trace, which must outlive it. O(slices log slices). Unspecified if stopped.
ActivityGraph activity_graph(const Trace& trace, const std::stop_token& stop = {});

/// A job with the traces of its ranks.
struct TracedJob {
  const JobAnalysis& job;
  std::span<const Trace* const> traces;  ///< by index of JobAnalysis::ranks; not null
};

/// Builds the graph of all ranks of a job on its common clock, whose time 0 is JobAnalysis::begin_ns(). The
/// ranks are joined at the collectives and messages that make their members wait for each other. The job and
/// its traces must outlive the graph. The cost is that of the graphs of the ranks, and O(nodes log nodes) for
/// the order of all nodes. Unspecified if stopped.
ActivityGraph activity_graph(const TracedJob& job, const std::stop_token& stop = {});

}  // namespace kino
