#include "core/critical/critical_path.hpp"

#include <algorithm>

#include "core/base/saturating.hpp"
#include "core/critical/slack.hpp"
#include "core/tables/compare/run_key.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

bool has_same_name(const Trace& trace, SliceId a, SliceId b) {
  if (a == kNoSlice || b == kNoSlice) return a == b;
  return trace.name(a) == trace.name(b);
}

/// Adds the pieces of the path from its end to its start.
class PathWalk {
 public:
  explicit PathWalk(const ActivityGraph& graph) : graph_(graph) {}

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
      add_edge(node, *edge);
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
      if (best == nullptr || at_ns > best_ns || (at_ns == best_ns && precedes(edge, *best))) {
        best = &edge;
        best_ns = at_ns;
      }
    }
    return best;
  }

  bool precedes(const GraphEdge& a, const GraphEdge& b) const {
    if (a.kind != b.kind) return a.kind < b.kind;
    const std::int64_t a_ns = graph_.time_of(a.source);
    const std::int64_t b_ns = graph_.time_of(b.source);
    return a_ns != b_ns ? a_ns > b_ns : a.source < b.source;
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
    if (!graph_.ranks[rank].lines.empty()) add_thread(rank, 0, {graph_.time_of(node), until_ns_});
  }

  void add_start(NodeId node) {
    const std::size_t rank = graph_.rank_of(node);
    ++path_.starts;
    add({graph_.window.begin_ns, graph_.time_of(node)}, kNoSlice, rank, PathCause::unexplained);
  }

  void add_edge(NodeId target, const GraphEdge& edge) {
    const TimeRange range{graph_.time_of(edge.source), graph_.time_of(target)};
    switch (edge.kind) {
      case EdgeKind::chain:
      case EdgeKind::hand_off:
      case EdgeKind::loader: {
        const std::size_t rank = graph_.rank_of(target);
        add_thread(rank, line_of(rank, edge.source), {range.begin_ns, std::min(range.end_ns, until_ns_)});
        return;
      }
      case EdgeKind::work:
        return add_work(target, range);
      case EdgeKind::move:
        return add(range, work_slice(target), graph_.rank_of(target), PathCause::moving);
      case EdgeKind::arrival:
        return add(range, kNoSlice, graph_.rank_of(edge.source), PathCause::waiting);
      default:
        return add_gap(target, edge.kind, range);
    }
  }

  std::size_t line_of(std::size_t rank, NodeId node) const {
    const std::vector<NodeId>& first = graph_.ranks[rank].line_first;
    const auto after = std::ranges::upper_bound(first, node);
    const auto line = static_cast<std::size_t>(after - first.begin());
    return std::min(line == 0 ? 0 : line - 1, graph_.ranks[rank].lines.size() - 1);
  }

  const GraphWork* work_at(NodeId node) const {
    const std::size_t rank = graph_.rank_of(node);
    if (rank == graph_.ranks.size() || node >= graph_.ranks[rank].first_line) return nullptr;
    return &graph_.ranks[rank].works[static_cast<std::size_t>(node - graph_.ranks[rank].first_work) / 2];
  }
  SliceId work_slice(NodeId node) const {
    const GraphWork* const work = work_at(node);
    return work == nullptr ? kNoSlice : work->slice;
  }

  /// Adds activity of a line, in common time, from its end to its start.
  void add_thread(std::size_t rank, std::size_t line, TimeRange range) {
    if (range.end_ns <= range.begin_ns) return;
    const RankGraph& of_rank = graph_.ranks[rank];
    // With a drift, the difference of the clocks changes over time, but not within one piece of the path.
    const std::int64_t near_ns = range.begin_ns - of_rank.time.common_ns(0);
    const std::int64_t shift_ns = of_rank.time.common_ns(near_ns) - near_ns;
    thread_.clear();
    for_each_piece(
        of_rank.lines[line], {range.begin_ns - shift_ns, range.end_ns - shift_ns},
        [&](TimeRange part, const LinePiece& piece) {
          const TimeRange common{part.begin_ns + shift_ns, part.end_ns + shift_ns};
          if (!thread_.empty() && thread_.back().cause == piece.cause &&
              has_same_name(*of_rank.trace, thread_.back().slice, piece.slice)) {
            thread_.back().range.end_ns = common.end_ns;
          } else {
            thread_.push_back({common, piece.slice, static_cast<std::uint32_t>(rank), piece.cause});
          }
        });
    for (std::size_t i = thread_.size(); i > 0; --i)
      add(thread_[i - 1].range, thread_[i - 1].slice, rank, thread_[i - 1].cause);
  }

  void add_work(NodeId target, TimeRange range) {
    const std::size_t rank = graph_.rank_of(target);
    const RankGraph& of_rank = graph_.ranks[rank];
    const GraphWork& work = *work_at(target);
    if (work.collective < 0) {
      const bool copy = of_rank.trace->kind(work.slice) == SliceKind::copy;
      return add(range, work.slice, rank, copy ? PathCause::copy : PathCause::compute);
    }
    const std::int64_t shortest_ns =
        of_rank.collectives[static_cast<std::size_t>(work.collective)].shortest_ns;
    const std::int64_t arrival_ns = std::max(range.begin_ns, range.end_ns - shortest_ns);
    add({arrival_ns, range.end_ns}, work.slice, rank, PathCause::moving);
    add({range.begin_ns, arrival_ns}, work.slice, rank, PathCause::waiting);
  }

  /// Adds the time between two pieces of work, or between work and a call. The part beyond kUnexplainedNs is
  /// unexplained.
  void add_gap(NodeId target, EdgeKind kind, TimeRange range) {
    const std::size_t rank = graph_.rank_of(target);
    const GraphWork* const work = work_at(target);
    const SliceId slice = work != nullptr ? work->slice : call_at(rank, target);
    const PathCause cause = kind == EdgeKind::launch        ? PathCause::launch_latency
                            : kind == EdgeKind::sync_return ? PathCause::sync_return
                            : kind == EdgeKind::stream_order || kind == EdgeKind::start_order
                                ? PathCause::kernel_gap
                                : PathCause::stream_wait;
    const std::int64_t split_ns = std::min(range.end_ns, saturating_add(range.begin_ns, kUnexplainedNs));
    const bool exceeds = range.end_ns > split_ns;
    const UnexplainedReason reason =
        exceeds && work != nullptr ? reason_of(rank, *work, kind) : UnexplainedReason::none;
    add({split_ns, range.end_ns}, slice, rank, PathCause::unexplained, reason);
    add({range.begin_ns, split_ns}, slice, rank, cause, reason);
  }

  SliceId call_at(std::size_t rank, NodeId node) const {
    const RankGraph& of_rank = graph_.ranks[rank];
    return of_rank.line_nodes[static_cast<std::size_t>(node - of_rank.first_line)].slice;
  }

  UnexplainedReason reason_of(std::size_t rank, const GraphWork& work, EdgeKind kind) const {
    const RankGraph& of_rank = graph_.ranks[rank];
    const SliceId launch = of_rank.trace->link(work.slice);
    if (launch == kNoSlice) return UnexplainedReason::no_launch;
    if (launched_by(*of_rank.trace, launch).size() > 1) return UnexplainedReason::graph;
    return kind == EdgeKind::launch && of_rank.first_works[work.stream] == work.slice
               ? UnexplainedReason::earlier_work
               : UnexplainedReason::queued;
  }

  const ActivityGraph& graph_;
  CriticalPath path_;
  std::int64_t until_ns_ = 0;
  std::vector<PathPiece> thread_;
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
