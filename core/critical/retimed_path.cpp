#include "core/critical/retimed_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/saturating.hpp"
#include "core/critical/edge_pieces.hpp"

namespace kino {
namespace {

/// Adds the pieces of the path from its end to its start, at the times of a replay.
class RetimedWalk {
 public:
  RetimedWalk(const ActivityGraph& graph, const GraphChange& change, const std::stop_token& stop)
      : graph_(graph), change_(change), stop_(stop), parts_(graph) {}

  RetimedPath walk() {
    const Replay replay = replayed(graph_, change_, Reading::kept, ReplayDetail::with_edges);
    path_.window = replay.window;
    until_ns_ = replay.window.end_ns;
    NodeId node = replay.last;
    while (node != kNoNode && until_ns_ > path_.window.begin_ns && !stop_.stop_requested()) {
      const std::int32_t index = replay.binding[static_cast<std::size_t>(node)];
      if (index < 0) break;
      const GraphEdge& edge = graph_.edges[static_cast<std::size_t>(index)];
      add_edge(node, edge,
               {replay.time_ns[static_cast<std::size_t>(edge.source)],
                replay.time_ns[static_cast<std::size_t>(node)]});
      node = edge.source;
    }
    add({path_.window.begin_ns, until_ns_},
        {{}, kNoSlice, 0, PathCause::unexplained, UnexplainedReason::none});
    std::ranges::reverse(path_.pieces);
    return std::move(path_);
  }

 private:
  /// Adds a piece before all others. Parts outside of the window and after `until_ns_` are cut off.
  void add(TimeRange range, PathPiece piece) {
    range.begin_ns = std::max(range.begin_ns, path_.window.begin_ns);
    range.end_ns = std::min(range.end_ns, until_ns_);
    if (range.end_ns <= range.begin_ns) return;
    piece.range = range;
    path_.pieces.push_back(piece);
    until_ns_ = range.begin_ns;
  }

  /// Divides the time of an edge after the change among its recorded pieces.
  void add_edge(NodeId target, const GraphEdge& edge, TimeRange range) {
    if (range.end_ns <= range.begin_ns) return;
    const std::span<const PathPiece> pieces = parts_.of_edge(target, edge);
    if (pieces.empty()) {
      const std::size_t rank = std::min(graph_.rank_of(target), graph_.ranks.size() - 1);
      add(range, {{}, kNoSlice, static_cast<std::uint32_t>(rank), PathCause::silent});
    } else if (is_of_thread(pieces.back().cause)) {
      add_thread(pieces, range);
    } else {
      add_device(pieces, range);
    }
  }

  double factor_of(const PathPiece& piece) const {
    return piece.rank < change_.size() ? change_[piece.rank].thread[index_of_cause(piece.cause)] : 1;
  }

  /// Adds activity of a thread. Each piece keeps its share of the scaled time.
  void add_thread(std::span<const PathPiece> pieces, TimeRange range) {
    double scaled = 0;
    for (const PathPiece& piece : pieces)
      scaled += static_cast<double>(piece.range.length_ns()) * factor_of(piece);
    const bool plain = scaled <= 0;  // all costs are 0, so only unexplained time remains
    const double whole =
        plain ? static_cast<double>(pieces.back().range.end_ns - pieces.front().range.begin_ns) : scaled;
    if (whole <= 0) return add(range, pieces.front());
    const auto length = static_cast<double>(range.length_ns());
    double after = whole;
    for (std::size_t i = pieces.size(); i > 0; --i) {
      const PathPiece& piece = pieces[i - 1];
      after -= static_cast<double>(piece.range.length_ns()) * (plain ? 1 : factor_of(piece));
      const double share = std::clamp(after / whole, 0.0, 1.0);
      const std::int64_t begin_ns =
          i == 1 ? range.begin_ns : range.begin_ns + static_cast<std::int64_t>(std::llround(share * length));
      add({begin_ns, range.end_ns}, piece);
    }
  }

  /// Adds GPU work or a gap: one piece, or two of which one keeps its length. That is the wait of a
  /// collective, or the explained part of a gap.
  void add_device(std::span<const PathPiece> pieces, TimeRange range) {
    const std::int64_t first_ns = saturating_add(range.begin_ns, pieces.front().range.length_ns());
    const std::int64_t split_ns = pieces.size() == 1 ? range.begin_ns : std::min(range.end_ns, first_ns);
    add({split_ns, range.end_ns}, pieces.back());
    if (pieces.size() == 1) return;
    PathPiece first = pieces.front();
    if (split_ns == range.end_ns) first.reason = UnexplainedReason::none;
    add({range.begin_ns, split_ns}, first);
  }

  const ActivityGraph& graph_;
  const GraphChange& change_;
  const std::stop_token& stop_;
  EdgePieces parts_;
  RetimedPath path_;
  std::int64_t until_ns_ = 0;
};

}  // namespace

RetimedPath retimed_path(const ActivityGraph& graph, const GraphChange& change, const std::stop_token& stop) {
  if (graph.size() == 0) return {};
  return RetimedWalk(graph, change, stop).walk();
}

}  // namespace kino
