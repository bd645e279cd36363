// Cells of a lane of the critical path: the cause with the most time, for the path and for the row of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/critical/critical_path.hpp"

namespace kino {

/// Colors of a lane: the cause with the most time in each of equally long parts of the window.
using LaneCells = std::vector<PathCause>;
inline constexpr std::size_t kLaneCells = 2048;

/// The path on the row of one rank.
struct RankLane {
  std::int64_t rank = -1;                       ///< number of the rank; -1 if unknown
  std::int64_t time_ns = 0;                     ///< time of the path on the rank
  std::vector<std::optional<PathCause>> cells;  ///< like LaneCells; nullopt while the path is on other ranks
};

/// Rows between which the path changes within one cell. The path does not change ranks if both are equal.
struct PathCrossing {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// The path on the rows of all ranks.
struct RankLanes {
  std::vector<RankLane> lanes;        ///< by index of ActivityGraph::ranks
  std::vector<PathCrossing> changes;  ///< by cell
};

/// Returns the cells of a lane. The pieces must be in order and within the window. O(pieces + cells).
LaneCells lane_cells(std::span<const PathPiece> pieces, TimeRange window);

/// Returns the rows of the ranks with these numbers, with the cells of each and the changes between them.
/// Pieces of other ranks are left out. The pieces must be in order and within the window. O(pieces + cells *
/// ranks).
RankLanes rank_lanes_of_path(std::span<const PathPiece> pieces, TimeRange window,
                             std::span<const std::int64_t> ranks);

/// Returns the index of the piece at a time; the number of pieces if there is none. O(log pieces).
std::size_t piece_at(std::span<const PathPiece> pieces, std::int64_t time_ns);

}  // namespace kino
