#include "core/critical/activity_graph.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/critical/gpu_dependences.hpp"
#include "core/critical/graph_collectives.hpp"
#include "core/critical/graph_window.hpp"
#include "core/critical/line_nodes.hpp"
#include "core/critical/rank_work.hpp"
#include "core/critical/waiting_calls.hpp"
#include "core/job/rank_digest.hpp"

namespace kino {
namespace {

/// Nodes and edges while the graph is built.
struct GraphDraft {
  std::vector<std::int64_t> time_ns;
  std::vector<DraftEdge> edges;
};

/// Returns, for the start of each piece of work, the latest source time plus lag; INT64_MIN without an edge.
std::vector<std::int64_t> latest_sources(const RankGraph& rank, const GraphDraft& draft,
                                         std::size_t first_edge) {
  std::vector<std::int64_t> latest(rank.works.size(), INT64_MIN);
  for (std::size_t i = first_edge; i < draft.edges.size(); ++i) {
    const DraftEdge& edge = draft.edges[i];
    const std::int64_t offset = edge.target - rank.first_work;
    if (offset < 0 || offset >= 2 * static_cast<std::int64_t>(rank.works.size()) || offset % 2 != 0) continue;
    const std::int64_t source_ns = draft.time_ns[static_cast<std::size_t>(edge.edge.source)];
    const std::int64_t lag_ns = edge.edge.lag_ns == GraphEdge::kRecordedLag
                                    ? draft.time_ns[static_cast<std::size_t>(edge.target)] - source_ns
                                    : edge.edge.lag_ns;
    std::int64_t& value = latest[static_cast<std::size_t>(offset / 2)];
    value = std::max(value, saturating_add(source_ns, lag_ns));
  }
  return latest;
}

/// Whether all durations of the trace are whole microseconds, as in traces with truncated times.
bool records_whole_us(const Trace& trace) {
  constexpr std::int64_t kUsNs = 1'000;
  const auto is_whole = [](std::int64_t ns) { return ns % kUsNs == 0; };
  return std::ranges::all_of(trace.slices.duration_ns.span(), is_whole);
}

/// Adds the nodes and edges of one recording. `instances`: see find_collectives().
void add_rank(RankGraph& rank, const RankDigest& digest, std::span<const std::int32_t> instances,
              GraphDraft& draft, const std::stop_token& stop) {
  const Trace& trace = *rank.trace;
  rank.steps = find_steps(trace, stop);
  const bool has_whole_us = records_whole_us(trace);
  const std::vector<SliceId> waits = waiting_calls(trace, has_whole_us ? 2'000 : 0, stop);
  rank.lines = thread_lines(trace, rank.steps, waits, stop);
  rank.first_work = static_cast<NodeId>(draft.time_ns.size());
  const RankWork works = rank_work(rank, stop);
  for (std::size_t i = 0; i < works.size(); ++i) {
    draft.time_ns.push_back(works.start_ns[i]);
    draft.time_ns.push_back(works.end_ns[i]);
  }
  rank.first_line = static_cast<NodeId>(draft.time_ns.size());
  const std::vector<ImplicitWait> implicit = implicit_waits(rank, works, stop);
  rank.implicit_waits = implicit.size();
  const std::vector<FullQueue> full = full_queues(rank, works);
  const CallNodeMap calls = make_line_nodes(rank, works, waits, implicit, full, stop);
  for (const LineNode& node : rank.line_nodes) draft.time_ns.push_back(rank.time.common_ns(node.time_ns));
  find_collectives(rank, works, digest, instances);
  set_window(rank, works);

  const EdgeInputs inputs{rank, works, calls, waits, implicit, full, has_whole_us};
  const std::size_t first_edge = draft.edges.size();
  add_work_edges(inputs, draft.edges, stop);
  add_line_edges(inputs, draft.edges, stop);
  set_lags(inputs, draft.time_ns, std::span(draft.edges).subspan(first_edge));
  const std::vector<std::int64_t> latest = latest_sources(rank, draft, first_edge);
  const std::size_t first_inferred = draft.edges.size();
  add_edges_from_times(rank, works, latest, draft.edges);
  for (std::size_t i = first_inferred; i < draft.edges.size(); ++i) {
    DraftEdge& edge = draft.edges[i];
    const std::int64_t recorded_ns = draft.time_ns[static_cast<std::size_t>(edge.target)] -
                                     draft.time_ns[static_cast<std::size_t>(edge.edge.source)];
    edge.edge.lag_ns = static_cast<std::int32_t>(std::min(rank.latencies.cross.least_ns, recorded_ns));
  }
}

/// Sorts edges by target, and counts them.
void finish_edges(GraphDraft& draft, ActivityGraph& graph) {
  graph.first_edge.assign(graph.time_ns.size() + 1, 0);
  for (const DraftEdge& edge : draft.edges) {
    ++graph.first_edge[static_cast<std::size_t>(edge.target) + 1];
    ++graph.edge_counts[static_cast<std::size_t>(edge.edge.kind)];
  }
  for (std::size_t i = 1; i < graph.first_edge.size(); ++i) graph.first_edge[i] += graph.first_edge[i - 1];
  std::vector<std::uint32_t> next(graph.first_edge.begin(), graph.first_edge.end() - 1);
  graph.edges.resize(draft.edges.size());
  for (const DraftEdge& edge : draft.edges)
    graph.edges[next[static_cast<std::size_t>(edge.target)]++] = edge.edge;
  draft.edges = {};
}

/// Sorts nodes such that sources are before targets, otherwise by (time, id). If a cycle remains, the
/// earliest unsorted node loses its edges from nodes that are not yet sorted.
void sort_nodes(ActivityGraph& graph) {
  const std::size_t count = graph.size();
  std::vector<std::uint32_t> first_target(count + 1);
  std::vector<std::uint32_t> missing(count);
  for (std::size_t node = 0; node < count; ++node) {
    for (const GraphEdge& edge : graph.edges_of(static_cast<NodeId>(node))) {
      ++first_target[static_cast<std::size_t>(edge.source) + 1];
      ++missing[node];
    }
  }
  for (std::size_t i = 1; i < first_target.size(); ++i) first_target[i] += first_target[i - 1];
  std::vector<NodeId> targets(graph.edges.size());
  std::vector<std::uint32_t> next(first_target.begin(), first_target.end() - 1);
  for (std::size_t node = 0; node < count; ++node) {
    for (const GraphEdge& edge : graph.edges_of(static_cast<NodeId>(node)))
      targets[next[static_cast<std::size_t>(edge.source)]++] = static_cast<NodeId>(node);
  }
  using Entry = std::pair<std::int64_t, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<Entry> unsorted;
  for (std::size_t node = 0; node < count; ++node) {
    if (missing[node] == 0) ready.emplace(graph.time_ns[node], static_cast<NodeId>(node));
  }
  std::vector<std::uint8_t> sorted(count);
  std::vector<NodeId> by_time;  // computed only if the graph has a cycle
  std::size_t next_by_time = 0;
  graph.order.reserve(count);
  while (graph.order.size() < count) {
    if (ready.empty()) {
      if (by_time.empty()) {
        for (std::size_t node = 0; node < count; ++node) by_time.push_back(static_cast<NodeId>(node));
        std::ranges::sort(by_time, {}, [&](NodeId node) { return Entry(graph.time_of(node), node); });
      }
      while (sorted[static_cast<std::size_t>(by_time[next_by_time])] != 0) ++next_by_time;
      const NodeId node = by_time[next_by_time];
      for (std::uint32_t i = graph.first_edge[static_cast<std::size_t>(node)];
           i < graph.first_edge[static_cast<std::size_t>(node) + 1]; ++i) {
        if (sorted[static_cast<std::size_t>(graph.edges[i].source)] == 0) graph.edges[i].source = kNoNode;
      }
      ++graph.forced;
      missing[static_cast<std::size_t>(node)] = 0;
      ready.emplace(graph.time_of(node), node);
    }
    const NodeId node = ready.top().second;
    ready.pop();
    const auto i = static_cast<std::size_t>(node);
    if (std::exchange(sorted[i], std::uint8_t{1}) != 0) continue;
    graph.order.push_back(node);
    for (std::uint32_t at = first_target[i]; at < first_target[i + 1]; ++at) {
      const auto target = static_cast<std::size_t>(targets[at]);
      if (sorted[target] == 0 && missing[target] > 0 && --missing[target] == 0)
        ready.emplace(graph.time_ns[target], targets[at]);
    }
  }
}

void set_residuals(ActivityGraph& graph) {
  graph.residual_ns.assign(graph.size(), 0);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::int64_t latest_ns = INT64_MIN;
    for (const GraphEdge& edge : graph.edges_of(static_cast<NodeId>(node))) {
      if (edge.source == kNoNode || (edge.flags & GraphEdge::kInert) != 0) continue;
      const std::int64_t lag_ns = graph.lag_of(static_cast<NodeId>(node), edge);
      latest_ns = std::max(latest_ns, saturating_add(graph.time_of(edge.source), lag_ns));
    }
    if (latest_ns != INT64_MIN)
      graph.residual_ns[node] = std::max<std::int64_t>(0, graph.time_ns[node] - latest_ns);
  }
}

/// Moves the draft into the graph, whose ranks and arrivals are known.
void finish(GraphDraft& draft, ActivityGraph& graph) {
  graph.time_ns = std::move(draft.time_ns);
  finish_edges(draft, graph);
  sort_nodes(graph);
  set_residuals(graph);
}

}  // namespace

std::string_view text_of(EdgeKind kind) {
  constexpr std::array<std::string_view, kEdgeKindCount> kNames{
      "cpu chain",   "launch", "stream order", "start order", "event wait", "wait (from times)",
      "sync return", "work",   "arrival",      "move",        "loader",     "hand-off"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::size_t ActivityGraph::rank_of(NodeId node) const {
  if (node >= first_arrival) return ranks.size();
  const auto after = std::ranges::upper_bound(ranks, node, {}, &RankGraph::first_work);
  return static_cast<std::size_t>(after - ranks.begin()) - 1;
}

ActivityGraph activity_graph(const Trace& trace, const std::stop_token& stop) {
  ActivityGraph graph;
  GraphDraft draft;
  const RankDigest digest = digest_of(trace, stop);
  RankGraph& rank = graph.ranks.emplace_back();
  rank.trace = &trace;
  rank.rank = digest.rank;
  add_rank(rank, digest, {}, draft, stop);
  add_alone_edges(rank, draft.edges);
  graph.first_arrival = static_cast<NodeId>(draft.time_ns.size());
  graph.window = rank.window;
  finish(draft, graph);
  return graph;
}

ActivityGraph activity_graph(const TracedJob& job, const std::stop_token& stop) {
  ActivityGraph graph;
  GraphDraft draft;
  const std::vector<std::vector<std::int32_t>> instances = joined_instances(job.job);
  const std::int64_t base_ns = job.job.begin_ns();
  graph.ranks.resize(job.traces.size());
  for (std::uint32_t i = 0; i < job.traces.size(); ++i) {
    if (stop.stop_requested()) return {};
    RankGraph& rank = graph.ranks[i];
    rank.trace = job.traces[i];
    rank.rank = job.job.ranks[i]->rank;
    rank.time = {&job.job.clocks, i, rank.trace->origin_unix_ns, base_ns};
    add_rank(rank, *job.job.ranks[i], instances[i], draft, stop);
    add_alone_edges(rank, draft.edges);
    const TimeRange window = rank.window;
    graph.window = i == 0 ? window
                          : TimeRange{std::max(graph.window.begin_ns, window.begin_ns),
                                      std::max(graph.window.end_ns, window.end_ns)};
  }
  add_arrivals(graph, draft.time_ns, draft.edges);
  finish(draft, graph);
  return graph;
}

}  // namespace kino
