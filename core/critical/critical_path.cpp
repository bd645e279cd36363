#include "core/critical/critical_path.hpp"

#include <algorithm>

#include "core/base/saturating.hpp"
#include "core/critical/edge_pieces.hpp"
#include "core/critical/retiming.hpp"
#include "core/critical/slack.hpp"
#include "core/tables/compare/run_key.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Adds the pieces of the path from its end to its start.
class PathWalk {
 public:
  explicit PathWalk(const ActivityGraph& graph) : graph_(graph), parts_(graph) {}

  CriticalPath walk() {
    until_ns_ = graph_.window.end_ns;
    NodeId node = last_node(graph_);
    if (node != kNoNode) {
      path_.nodes.push_back(node);
      if (graph_.time_of(node) < until_ns_) add_rest(node);
    }
    while (node != kNoNode && until_ns_ > graph_.window.begin_ns) {
      const GraphEdge* const edge = binding_edge(node);
      if (edge == nullptr) {
        add_start(node);
        break;
      }
      ++path_.hops[static_cast<std::size_t>(edge->kind)];
      add_all(parts_.of_edge(node, *edge, until_ns_));
      node = edge->source;
      path_.nodes.push_back(node);
    }
    if (until_ns_ > graph_.window.begin_ns)
      add({graph_.window.begin_ns, until_ns_}, kNoSlice, 0, PathCause::unexplained);
    std::ranges::reverse(path_.pieces);
    std::ranges::reverse(path_.nodes);
    for (const PathPiece& piece : path_.pieces)
      path_.causes[index_of_cause(piece.cause)] += piece.range.length_ns();
    return std::move(path_);
  }

 private:
  /// Returns the edge with the latest source and lag. At equal times, the earlier kind has precedence, then
  /// the later source, then the smaller id.
  const GraphEdge* binding_edge(NodeId node) const {
    const GraphEdge* best = nullptr;
    std::int64_t best_ns = 0;
    for (const GraphEdge& edge : graph_.edges_of(node)) {
      if (edge.source == kNoNode || (edge.flags & GraphEdge::kInert) != 0) continue;
      const std::int64_t at_ns = saturating_add(graph_.time_of(edge.source), graph_.lag_of(node, edge));
      if (best == nullptr || at_ns > best_ns ||
          (at_ns == best_ns &&
           edge_precedes(edge, graph_.time_of(edge.source), *best, graph_.time_of(best->source)))) {
        best = &edge;
        best_ns = at_ns;
      }
    }
    return best;
  }

  /// Adds a piece before all others. Parts outside of the window and after `until_ns_` are cut off.
  void add(TimeRange range, SliceId slice, std::size_t rank, PathCause cause,
           UnexplainedReason reason = UnexplainedReason::none) {
    range.begin_ns = std::max(range.begin_ns, graph_.window.begin_ns);
    range.end_ns = std::min(range.end_ns, until_ns_);
    if (range.end_ns <= range.begin_ns) return;
    path_.pieces.push_back({range, slice, static_cast<std::uint32_t>(rank), cause, reason});
    until_ns_ = range.begin_ns;
  }

  /// Adds the time from the last node to the end of the window, as activity of the main line of the
  /// node's rank.
  void add_rest(NodeId node) {
    const std::size_t rank = std::min(graph_.rank_of(node), graph_.ranks.size() - 1);
    if (!graph_.ranks[rank].lines.empty())
      add_all(parts_.of_line(rank, 0, {graph_.time_of(node), until_ns_}));
  }

  void add_start(NodeId node) {
    const std::size_t rank = graph_.rank_of(node);
    ++path_.starts;
    add({graph_.window.begin_ns, graph_.time_of(node)}, kNoSlice, rank, PathCause::unexplained);
  }

  /// Adds pieces in order of time before all others.
  void add_all(std::span<const PathPiece> pieces) {
    for (std::size_t i = pieces.size(); i > 0; --i) {
      const PathPiece& piece = pieces[i - 1];
      add(piece.range, piece.slice, piece.rank, piece.cause, piece.reason);
    }
  }

  const ActivityGraph& graph_;
  CriticalPath path_;
  EdgePieces parts_;
  std::int64_t until_ns_ = 0;
};

}  // namespace

double CriticalPath::explained(TimeRange window) const {
  if (window.length_ns() <= 0) return 1;
  const std::int64_t lost_ns = causes[index_of_cause(PathCause::unexplained)];
  return 1 - static_cast<double>(lost_ns) / static_cast<double>(window.length_ns());
}

CriticalPath critical_path(const ActivityGraph& graph) {
  if (graph.size() == 0) return {};
  return PathWalk(graph).walk();
}

std::span<const PathPiece> pieces_within(const CriticalPath& path, TimeRange range) {
  const auto first = std::ranges::upper_bound(path.pieces, range.begin_ns, {},
                                              [](const PathPiece& piece) { return piece.range.end_ns; });
  const auto last = std::ranges::lower_bound(first, path.pieces.end(), range.end_ns, {},
                                             [](const PathPiece& piece) { return piece.range.begin_ns; });
  return {first, last};
}

CauseSums causes_within(const CriticalPath& path, TimeRange range) {
  CauseSums sums{};
  for (const PathPiece& piece : pieces_within(path, range)) {
    sums[index_of_cause(piece.cause)] += clipped(piece.range, range.begin_ns, range.end_ns).length_ns();
  }
  return sums;
}

std::string piece_name(const ActivityGraph& graph, const PathPiece& piece) {
  if (piece.slice == kNoSlice) {
    return std::string(
        english(piece.cause == PathCause::silent ? msg::path_no_event : msg::path_recording_start));
  }
  const Trace& trace = *graph.ranks[piece.rank].trace;
  const std::string_view recorded = trace.name_of(piece.slice);
  std::string name =
      is_gpu_work(trace.kind(piece.slice)) ? kernel_without_templates(recorded) : std::string(recorded);
  switch (piece.reason) {
    case UnexplainedReason::none:
      return name;
    case UnexplainedReason::earlier_work:
      return Message(msg::path_earlier_work, name).str();
    case UnexplainedReason::no_launch:
      return Message(msg::path_no_launch, name).str();
    case UnexplainedReason::graph:
      return Message(msg::path_inside_graph, name).str();
    case UnexplainedReason::queued:
      return Message(msg::path_queued, name).str();
  }
  return name;
}

}  // namespace kino
