// The critical path: the chain of work and thread time that bounds the window, with the cause of each piece.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/path_cause.hpp"

namespace kino {

/// A piece of the path, in common time. The pieces fill the window.
struct PathPiece {
  TimeRange range;
  SliceId slice = kNoSlice;  ///< event of the piece; for gaps, the work or the call at its end
  std::uint32_t rank = 0;    ///< index into ActivityGraph::ranks
  PathCause cause = PathCause::silent;
  UnexplainedReason reason = UnexplainedReason::none;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  ///< in order of time
  std::vector<NodeId> nodes;      ///< in order of time
  std::array<std::uint64_t, kEdgeKindCount> hops{};
  std::uint64_t starts = 0;  ///< 1 if the path begins within the window, at a node without a recorded cause
  CauseSums causes{};        ///< in the whole window
  /// Explained share of the window: 1 if no piece is unexplained.
  double explained(TimeRange window) const;

  static constexpr double kLeastExplained = 0.9;  ///< with less, there is no forecast
};

/// Finds the path that ends at the end of the window. O(path * edges per node + pieces).
CriticalPath critical_path(const ActivityGraph& graph);

/// Returns the pieces that overlap the range. The span refers to the path. O(log pieces).
std::span<const PathPiece> pieces_within(const CriticalPath& path, TimeRange range);

/// Returns the time per cause of the path within a range of the window. O(pieces).
CauseSums causes_within(const CriticalPath& path, TimeRange range);

/// Returns the name of a piece. Names of kernels have no template arguments and no signature; names of calls,
/// operators and functions are complete. Gaps have the name of the work or call at their end, with the
/// reason if a part of the gap is unexplained.
std::string piece_name(const ActivityGraph& graph, const PathPiece& piece);

}  // namespace kino
