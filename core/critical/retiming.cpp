#include "core/critical/retiming.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

/// Returns the nearest time in ns; the nearest limit if the value does not fit.
std::int64_t rounded(double ns) {
  constexpr double kLimit = 9e18;
  return std::llround(std::clamp(ns, -kLimit, kLimit));
}

std::int64_t scaled(std::int64_t ns, double factor) {
  return factor == 1 ? ns : rounded(static_cast<double>(ns) * factor);
}

/// Returns the transfer time of a collective after a change, if it takes `moving_ns` as recorded.
std::int64_t changed_moving(const GraphCollective& collective, std::int64_t moving_ns,
                            const RankCostChange& change) {
  constexpr double kStartNs = 12'000;  // of the smallest transfers
  if (change.bus_gb_per_s <= 0) return scaled(moving_ns, change.moving);
  if (collective.bus_bytes <= 0) return moving_ns;
  return std::min(moving_ns, rounded(kStartNs + collective.bus_bytes / change.bus_gb_per_s));
}

class Replayer {
 public:
  Replayer(const ActivityGraph& graph, const GraphChange& change, Reading reading, ReplayDetail detail)
      : graph_(graph), change_(change), reading_(reading), detail_(detail) {}

  Replay run() {
    Replay replay;
    replay.time_ns.assign(graph_.size(), 0);
    if (detail_ == ReplayDetail::with_edges) replay.binding.assign(graph_.size(), -1);
    for (const NodeId node : graph_.order) {
      std::int64_t latest_ns = INT64_MIN;
      const GraphEdge* latest = nullptr;
      rank_ = graph_.rank_of(node);
      for (const GraphEdge& edge : graph_.edges_of(node)) {
        if (edge.source == kNoNode || is_dropped(node, edge)) continue;
        const std::int64_t source_ns = replay.time_ns[static_cast<std::size_t>(edge.source)];
        const std::int64_t at_ns = saturating_add(source_ns, lag(node, edge));
        const bool binds =
            latest == nullptr || at_ns > latest_ns ||
            (at_ns == latest_ns && edge_precedes(edge, source_ns, *latest,
                                                 replay.time_ns[static_cast<std::size_t>(latest->source)]));
        if (!binds) continue;
        latest_ns = at_ns;
        latest = &edge;
      }
      const auto i = static_cast<std::size_t>(node);
      replay.time_ns[i] =
          latest_ns == INT64_MIN ? graph_.time_ns[i] : saturating_add(latest_ns, residual(node));
      if (!replay.binding.empty() && latest != nullptr)
        replay.binding[i] = static_cast<std::int32_t>(latest - graph_.edges.data());
    }
    measure(replay);
    return replay;
  }

 private:
  const RankCostChange* change() const { return rank_ < change_.size() ? &change_[rank_] : nullptr; }
  const RankGraph& rank() const { return graph_.ranks[rank_]; }

  bool is_dropped(NodeId node, const GraphEdge& edge) const {
    if ((edge.flags & GraphEdge::kInert) != 0) {
      return edge.kind == EdgeKind::loader ? reading_ != Reading::own_pace
                                           : reading_ != Reading::others_fixed;
    }
    if ((edge.flags & GraphEdge::kInferred) != 0 && reading_ == Reading::no_inferred) return true;
    const RankCostChange* const changed = change();
    if (changed == nullptr) return false;
    switch (edge.kind) {
      case EdgeKind::sync_return:
        return drops_sync(*changed, node);
      case EdgeKind::stream_order:
      case EdgeKind::start_order: {
        if (changed->streams.empty()) return false;
        return changed->streams[work_at(node).stream] != 0;
      }
      case EdgeKind::event_calls:
      case EdgeKind::wait_times:
        return changed->overlap && work_at(edge.source).collective >= 0;
      default:
        return false;
    }
  }

  bool drops_sync(const RankCostChange& changed, NodeId node) const {
    if (changed.sync_names.empty()) return false;
    if (line_node(node).kind != LineNode::Kind::wait_end) return false;
    const SliceId call = line_node(node).slice;
    return call != kNoSlice && changed.sync_names[index_of(rank().trace->name(call))] != 0;
  }

  const GraphWork& work_at(NodeId node) const {
    return rank().works[static_cast<std::size_t>(node - rank().first_work) / 2];
  }
  const LineNode& line_node(NodeId node) const {
    return rank().line_nodes[static_cast<std::size_t>(node - rank().first_line)];
  }

  std::int64_t residual(NodeId node) const {
    if (reading_ == Reading::no_residual || reading_ == Reading::typical) return 0;
    const std::int64_t residual_ns = reading_ == Reading::no_inferred && rank_ < graph_.ranks.size()
                                         ? uninferred_residual(node)
                                         : graph_.residual_ns[static_cast<std::size_t>(node)];
    const RankCostChange* const changed = change();
    if (changed == nullptr || rank_ >= graph_.ranks.size()) return residual_ns;
    if (node >= rank().first_line) return drops_sync(*changed, node) ? 0 : residual_ns;
    if (changed->graphs && residual_ns <= kUnexplainedNs) return std::min(residual_ns, kGraphGapNs);
    return residual_ns;
  }

  /// Returns the residual if inferred waits do not exist: a gap that they explain stays as recorded.
  std::int64_t uninferred_residual(NodeId node) const {
    if (node >= rank().first_line && line_node(node).kind == LineNode::Kind::implicit_end) return 0;
    std::int64_t latest_ns = INT64_MIN;
    bool any = false;
    for (const GraphEdge& edge : graph_.edges_of(node)) {
      if (edge.source == kNoNode || (edge.flags & GraphEdge::kInert) != 0) continue;
      if ((edge.flags & GraphEdge::kInferred) != 0) {
        any = true;
        continue;
      }
      latest_ns = std::max(latest_ns, saturating_add(graph_.time_of(edge.source), graph_.lag_of(node, edge)));
    }
    if (!any) return graph_.residual_ns[static_cast<std::size_t>(node)];
    if (latest_ns == INT64_MIN) return 0;
    return std::max<std::int64_t>(0, saturating_subtract(graph_.time_of(node), latest_ns));
  }

  std::int64_t lag(NodeId node, const GraphEdge& edge) const {
    const RankCostChange* const changed = change();
    switch (edge.kind) {
      case EdgeKind::chain:
        return chain_lag(node, edge, changed);
      case EdgeKind::work:
        return work_lag(node, changed);
      case EdgeKind::launch: {
        const std::int64_t lag_ns = base_lag(node, edge);
        return changed != nullptr && changed->graphs ? std::min<std::int64_t>(0, lag_ns) : lag_ns;
      }
      case EdgeKind::stream_order: {
        const std::int64_t lag_ns = base_lag(node, edge);
        return changed != nullptr && changed->graphs ? std::min(kGraphGapNs, lag_ns) : lag_ns;
      }
      case EdgeKind::arrival:
        return graph_.lag_of(node, edge);
      case EdgeKind::move: {
        const std::int64_t lag_ns = graph_.lag_of(node, edge);
        const std::int32_t collective = work_at(node).collective;
        if (changed == nullptr || collective < 0) return lag_ns;
        return changed_moving(rank().collectives[static_cast<std::size_t>(collective)], lag_ns, *changed);
      }
      default:
        return base_lag(node, edge);
    }
  }

  /// Returns the lag without changes. In the reading `typical`, this is the typical lag of the kind of edge.
  std::int64_t base_lag(NodeId node, const GraphEdge& edge) const {
    const std::int64_t lag_ns = graph_.lag_of(node, edge);
    if (reading_ != Reading::typical || edge.lag_ns == GraphEdge::kRecordedLag) return lag_ns;
    const RankLatencies& latencies = rank().latencies;
    const std::int64_t recorded_ns = graph_.time_of(node) - graph_.time_of(edge.source);
    switch (edge.kind) {
      case EdgeKind::launch: {
        const std::int64_t typical_ns = latencies.launch.typical_ns;
        if ((edge.flags & GraphEdge::kCallBegin) != 0)
          return std::min(std::max<std::int64_t>(0, typical_ns) + 2'000, recorded_ns);
        return (edge.flags & GraphEdge::kIdle) != 0 ? typical_ns : std::min(typical_ns, recorded_ns);
      }
      case EdgeKind::stream_order:
        return latencies.gap.typical_ns;
      case EdgeKind::event_calls:
      case EdgeKind::wait_times:
        return std::min(latencies.cross.typical_ns, recorded_ns);
      case EdgeKind::sync_return:
        return std::min(latencies.back.typical_ns, recorded_ns);
      default:
        return lag_ns;
    }
  }

  std::int64_t chain_lag(NodeId node, const GraphEdge& edge, const RankCostChange* changed) const {
    std::int64_t lag_ns = graph_.lag_of(node, edge);
    const bool own = (edge.flags & GraphEdge::kOwnCost) != 0;
    const bool implicit = own && line_node(node).kind == LineNode::Kind::implicit_end;
    if (implicit && reading_ == Reading::no_inferred)
      lag_ns = graph_.time_of(node) - graph_.time_of(edge.source);
    const bool shortens = reading_ == Reading::own_pace && line_node(node).kind == LineNode::Kind::loader_end;
    if (shortens) lag_ns = std::min<std::int64_t>(lag_ns, kOwnPaceNs);
    if (changed == nullptr) return lag_ns;
    if (drops_sync(*changed, node)) return 0;
    if (!changed->scales_thread() || lag_ns <= 0) return lag_ns;
    return scaled_thread(node, edge, *changed, lag_ns);
  }

  std::int64_t scaled_thread(NodeId node, const GraphEdge& edge, const RankCostChange& changed,
                             std::int64_t lag_ns) const {
    const std::vector<NodeId>& first = rank().line_first;
    const auto line = static_cast<std::size_t>(std::ranges::upper_bound(first, node) - first.begin()) - 1;
    const TimeRange range{line_node(edge.source).time_ns, line_node(node).time_ns};
    double kept_ns = 0;
    for_each_piece(rank().lines[line], range, [&](TimeRange part, const LinePiece& piece) {
      kept_ns += static_cast<double>(part.length_ns()) * changed.thread[index_of_cause(piece.cause)];
    });
    if (range.length_ns() <= 0) return lag_ns;
    // The own cost of a call is a part of its length, and scales like the whole.
    const double share = static_cast<double>(lag_ns) / static_cast<double>(range.length_ns());
    return rounded(kept_ns * share);
  }

  std::int64_t work_lag(NodeId node, const RankCostChange* changed) const {
    const GraphWork& work = work_at(node);
    const std::int64_t length_ns = graph_.time_of(node) - graph_.time_of(node - 1);
    if (work.collective < 0) {
      if (changed == nullptr || changed->work.empty()) return length_ns;
      const auto index = static_cast<std::size_t>(node - rank().first_work) / 2;
      return scaled(length_ns, static_cast<double>(changed->work[index]));
    }
    const GraphCollective& collective = rank().collectives[static_cast<std::size_t>(work.collective)];
    const std::int64_t shortest_ns = std::min(collective.shortest_ns, length_ns);
    const std::int64_t moving_ns =
        changed == nullptr ? shortest_ns : changed_moving(collective, shortest_ns, *changed);
    const bool waits = reading_ == Reading::others_fixed && has_arrival(node);
    return waits ? moving_ns : saturating_add(length_ns - shortest_ns, moving_ns);
  }

  bool has_arrival(NodeId node) const {
    return std::ranges::any_of(graph_.edges_of(node),
                               [](const GraphEdge& edge) { return edge.kind == EdgeKind::arrival; });
  }

  void measure(Replay& replay) const {
    const std::int64_t begin_ns = window_begin(replay);
    std::int64_t end_ns = INT64_MIN;
    for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
      const RankGraph& rank = graph_.ranks[r];
      for (const std::vector<NodeId>& nodes : rank.step_nodes) {
        std::int64_t step_ns = INT64_MIN;
        for (const NodeId node : nodes) {
          const std::int64_t node_ns = replay.time_ns[static_cast<std::size_t>(node)];
          step_ns = std::max(step_ns, node_ns);
          if (node_ns <= end_ns) continue;
          end_ns = node_ns;
          replay.last = node;
        }
        if (r == 0) replay.step_ends.push_back(step_ns);
      }
    }
    replay.length_ns = end_ns == INT64_MIN ? 0 : saturating_subtract(end_ns, begin_ns);
    replay.window = {begin_ns, saturating_add(begin_ns, replay.length_ns)};
  }

  std::int64_t window_begin(const Replay& replay) const {
    std::int64_t begin_ns = INT64_MIN;
    for (const RankGraph& rank : graph_.ranks) {
      if (rank.begin_node == kNoNode) continue;
      begin_ns = std::max(begin_ns, replay.time_ns[static_cast<std::size_t>(rank.begin_node)]);
    }
    return begin_ns == INT64_MIN ? graph_.window.begin_ns : begin_ns;
  }

  static constexpr std::int64_t kGraphGapNs = 1'000;
  static constexpr std::int64_t kOwnPaceNs = 200'000;

  const ActivityGraph& graph_;
  const GraphChange& change_;
  Reading reading_;
  ReplayDetail detail_;
  std::size_t rank_ = 0;
};

}  // namespace

bool RankCostChange::scales_thread() const {
  return std::ranges::any_of(thread, [](double factor) { return factor != 1; });
}

Replay replayed(const ActivityGraph& graph, const GraphChange& change, Reading reading, ReplayDetail detail) {
  return Replayer(graph, change, reading, detail).run();
}

bool edge_precedes(const GraphEdge& a, std::int64_t a_ns, const GraphEdge& b, std::int64_t b_ns) {
  if (a.kind != b.kind) return a.kind < b.kind;
  return a_ns != b_ns ? a_ns > b_ns : a.source < b.source;
}

}  // namespace kino
