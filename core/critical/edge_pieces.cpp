#include "core/critical/edge_pieces.hpp"

#include <algorithm>

#include "core/base/saturating.hpp"
#include "core/trace/flow_links.hpp"

namespace kino {
namespace {

bool has_same_name(const Trace& trace, SliceId a, SliceId b) {
  if (a == kNoSlice || b == kNoSlice) return a == b;
  return trace.name(a) == trace.name(b);
}

}  // namespace

std::span<const PathPiece> EdgePieces::of_edge(NodeId target, const GraphEdge& edge, std::int64_t until_ns) {
  const TimeRange range{graph_.time_of(edge.source), graph_.time_of(target)};
  pieces_.clear();
  switch (edge.kind) {
    case EdgeKind::chain:
    case EdgeKind::hand_off:
    case EdgeKind::loader: {
      const std::size_t rank = graph_.rank_of(target);
      return of_line(rank, line_of(rank, edge.source), {range.begin_ns, std::min(range.end_ns, until_ns)});
    }
    case EdgeKind::work:
      add_work(target, range);
      break;
    case EdgeKind::move: {
      const GraphWork* const work = work_at(target);
      add(range, work == nullptr ? kNoSlice : work->slice, graph_.rank_of(target), PathCause::moving);
      break;
    }
    case EdgeKind::arrival:
      add(range, kNoSlice, graph_.rank_of(edge.source), PathCause::waiting);
      break;
    default:
      add_gap(target, edge.kind, range);
      break;
  }
  return pieces_;
}

std::span<const PathPiece> EdgePieces::of_line(std::size_t rank, std::size_t line, TimeRange range) {
  pieces_.clear();
  if (range.end_ns <= range.begin_ns) return pieces_;
  const RankGraph& of_rank = graph_.ranks[rank];
  // With a drift, the difference of the clocks changes over time, but not within one piece of the path.
  const std::int64_t near_ns = range.begin_ns - of_rank.time.common_ns(0);
  const std::int64_t shift_ns = of_rank.time.common_ns(near_ns) - near_ns;
  for_each_piece(of_rank.lines[line], {range.begin_ns - shift_ns, range.end_ns - shift_ns},
                 [&](TimeRange part, const LinePiece& piece) {
                   const TimeRange common{part.begin_ns + shift_ns, part.end_ns + shift_ns};
                   if (!pieces_.empty() && pieces_.back().cause == piece.cause &&
                       has_same_name(*of_rank.trace, pieces_.back().slice, piece.slice)) {
                     pieces_.back().range.end_ns = common.end_ns;
                   } else {
                     pieces_.push_back({common, piece.slice, static_cast<std::uint32_t>(rank), piece.cause});
                   }
                 });
  return pieces_;
}

void EdgePieces::add(TimeRange range, SliceId slice, std::size_t rank, PathCause cause,
                     UnexplainedReason reason) {
  if (range.end_ns <= range.begin_ns) return;
  pieces_.push_back({range, slice, static_cast<std::uint32_t>(rank), cause, reason});
}

std::size_t EdgePieces::line_of(std::size_t rank, NodeId node) const {
  const std::vector<NodeId>& first = graph_.ranks[rank].line_first;
  const auto after = std::ranges::upper_bound(first, node);
  const auto line = static_cast<std::size_t>(after - first.begin());
  return std::min(line == 0 ? 0 : line - 1, graph_.ranks[rank].lines.size() - 1);
}

const GraphWork* EdgePieces::work_at(NodeId node) const {
  const std::size_t rank = graph_.rank_of(node);
  if (rank == graph_.ranks.size() || node >= graph_.ranks[rank].first_line) return nullptr;
  return &graph_.ranks[rank].works[static_cast<std::size_t>(node - graph_.ranks[rank].first_work) / 2];
}

SliceId EdgePieces::call_at(std::size_t rank, NodeId node) const {
  const RankGraph& of_rank = graph_.ranks[rank];
  return of_rank.line_nodes[static_cast<std::size_t>(node - of_rank.first_line)].slice;
}

void EdgePieces::add_work(NodeId target, TimeRange range) {
  const std::size_t rank = graph_.rank_of(target);
  const RankGraph& of_rank = graph_.ranks[rank];
  const GraphWork& work = *work_at(target);
  if (work.collective < 0) {
    const bool copy = of_rank.trace->kind(work.slice) == SliceKind::copy;
    return add(range, work.slice, rank, copy ? PathCause::copy : PathCause::compute);
  }
  const std::int64_t shortest_ns = of_rank.collectives[static_cast<std::size_t>(work.collective)].shortest_ns;
  const std::int64_t arrival_ns = std::max(range.begin_ns, range.end_ns - shortest_ns);
  add({range.begin_ns, arrival_ns}, work.slice, rank, PathCause::waiting);
  add({arrival_ns, range.end_ns}, work.slice, rank, PathCause::moving);
}

/// Adds the time between two pieces of work, or between work and a call. The part beyond kUnexplainedNs is
/// unexplained.
void EdgePieces::add_gap(NodeId target, EdgeKind kind, TimeRange range) {
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
  add({range.begin_ns, split_ns}, slice, rank, cause, reason);
  add({split_ns, range.end_ns}, slice, rank, PathCause::unexplained, reason);
}

UnexplainedReason EdgePieces::reason_of(std::size_t rank, const GraphWork& work, EdgeKind kind) const {
  const RankGraph& of_rank = graph_.ranks[rank];
  const SliceId launch = of_rank.trace->link(work.slice);
  if (launch == kNoSlice) return UnexplainedReason::no_launch;
  if (launched_by(*of_rank.trace, launch).size() > 1) return UnexplainedReason::graph;
  return kind == EdgeKind::launch && of_rank.first_works[work.stream] == work.slice
             ? UnexplainedReason::earlier_work
             : UnexplainedReason::queued;
}

}  // namespace kino
