// Pieces of a critical path that one edge of the graph covers, with their causes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"

namespace kino {

/// Divides edges into pieces. The returned spans are valid until the next call. The graph must outlive the
/// object.
class EdgePieces {
 public:
  explicit EdgePieces(const ActivityGraph& graph) : graph_(graph) {}

  /// Returns the pieces from the source of the edge to its target, in order of recorded common time. Activity
  /// of threads ends at `until_ns`. O(pieces + log pieces of the line).
  std::span<const PathPiece> of_edge(NodeId target, const GraphEdge& edge, std::int64_t until_ns = INT64_MAX);
  /// Returns the activity of a line within a range of common time.
  std::span<const PathPiece> of_line(std::size_t rank, std::size_t line, TimeRange range);

 private:
  void add(TimeRange range, SliceId slice, std::size_t rank, PathCause cause,
           UnexplainedReason reason = UnexplainedReason::none);
  std::size_t line_of(std::size_t rank, NodeId node) const;
  const GraphWork* work_at(NodeId node) const;
  SliceId call_at(std::size_t rank, NodeId node) const;
  void add_work(NodeId target, TimeRange range);
  void add_gap(NodeId target, EdgeKind kind, TimeRange range);
  UnexplainedReason reason_of(std::size_t rank, const GraphWork& work, EdgeKind kind) const;

  const ActivityGraph& graph_;
  std::vector<PathPiece> pieces_;
};

}  // namespace kino
