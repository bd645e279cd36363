#include "app/pages/critical/lane_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

/// Returns the range of a cell, which is at least 1 ns long.
TimeRange cell_range(TimeRange window, std::size_t cell) {
  const auto bound = [&](std::size_t index) {
    const double share = static_cast<double>(index) / static_cast<double>(kLaneCells);
    return window.begin_ns + static_cast<std::int64_t>(static_cast<double>(window.length_ns()) * share);
  };
  return {bound(cell), std::max(bound(cell) + 1, bound(cell + 1))};
}

/// Walks through the cells of a window in order, with the pieces that overlap each.
class CellWalk {
 public:
  CellWalk(std::span<const PathPiece> pieces, TimeRange window) : pieces_(pieces), window_(window) {}

  /// Calls `take` with each piece that overlaps the cell, and with the length of the overlap in ns. Cells must
  /// be visited in ascending order.
  template <class Take>
  void visit(std::size_t cell, Take take) {
    const TimeRange range = cell_range(window_, cell);
    while (at_ + 1 < pieces_.size() && pieces_[at_].range.end_ns <= range.begin_ns) ++at_;
    for (std::size_t k = at_; k < pieces_.size() && pieces_[k].range.begin_ns < range.end_ns; ++k) {
      const PathPiece& piece = pieces_[k];
      const std::int64_t part_ns =
          std::min(piece.range.end_ns, range.end_ns) - std::max(piece.range.begin_ns, range.begin_ns);
      take(piece, std::max<std::int64_t>(0, part_ns));
    }
  }

 private:
  std::span<const PathPiece> pieces_;
  TimeRange window_;
  std::size_t at_ = 0;
};

PathCause largest_cause(const CauseSums& sums) {
  return static_cast<PathCause>(std::ranges::max_element(sums) - sums.begin());
}

}  // namespace

LaneCells lane_cells(std::span<const PathPiece> pieces, TimeRange window) {
  if (pieces.empty() || window.length_ns() <= 0) return {};
  LaneCells cells;
  cells.reserve(kLaneCells);
  CellWalk walk(pieces, window);
  for (std::size_t cell = 0; cell < kLaneCells; ++cell) {
    CauseSums sums{};
    walk.visit(cell, [&](const PathPiece& piece, std::int64_t part_ns) {
      sums[index_of_cause(piece.cause)] += part_ns;
    });
    cells.push_back(largest_cause(sums));
  }
  return cells;
}

RankLanes rank_lanes_of_path(std::span<const PathPiece> pieces, TimeRange window,
                             std::span<const std::int64_t> ranks) {
  RankLanes made;
  if (pieces.empty() || window.length_ns() <= 0) return made;
  made.lanes.reserve(ranks.size());
  for (const std::int64_t rank : ranks)
    made.lanes.push_back({rank, 0, std::vector<std::optional<PathCause>>(kLaneCells)});
  for (const PathPiece& piece : pieces) {
    if (piece.rank < ranks.size()) {
      std::int64_t& time_ns = made.lanes[piece.rank].time_ns;
      time_ns = saturating_add(time_ns, piece.range.length_ns());
    }
  }
  made.changes.resize(kLaneCells);
  CellWalk walk(pieces, window);
  std::vector<CauseSums> sums(ranks.size());
  std::optional<std::uint32_t> before;
  for (std::size_t cell = 0; cell < kLaneCells; ++cell) {
    std::ranges::fill(sums, CauseSums{});
    std::optional<PathCrossing> rows;
    if (before) rows = PathCrossing{*before, *before};
    walk.visit(cell, [&](const PathPiece& piece, std::int64_t part_ns) {
      if (piece.rank >= ranks.size() || part_ns == 0) return;
      sums[piece.rank][index_of_cause(piece.cause)] += part_ns;
      before = piece.rank;
      if (!rows) rows = PathCrossing{piece.rank, piece.rank};
      rows = PathCrossing{std::min(rows->first, piece.rank), std::max(rows->last, piece.rank)};
    });
    if (rows) made.changes[cell] = *rows;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const PathCause cause = largest_cause(sums[rank]);
      if (sums[rank][index_of_cause(cause)] > 0) made.lanes[rank].cells[cell] = cause;
    }
  }
  return made;
}

std::size_t piece_at(std::span<const PathPiece> pieces, std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(pieces, time_ns, {},
                                              [](const PathPiece& piece) { return piece.range.begin_ns; });
  const std::size_t index = static_cast<std::size_t>(after - pieces.begin());
  if (index == 0 || time_ns >= pieces[index - 1].range.end_ns) return pieces.size();
  return index - 1;
}

}  // namespace kino
