// Rows of the critical path: its time by cause, name, rank or step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"

namespace kino {

enum class PathGrouping : std::uint8_t { cause, name, rank, step, piece };

/// One row: the pieces of the path that it sums up.
struct PathRow {
  std::string step;  ///< number of the step; empty for a range
  std::string name;  ///< only if rows have names
  std::int64_t rank = -1;
  PathCause cause = PathCause::silent;
  std::int64_t start_ns = 0;  ///< of the first piece
  std::int64_t time_ns = 0;
  std::int64_t window_ns = 0;  ///< length of the step or range
  std::int64_t pieces = 0;
  SliceId longest = kNoSlice;  ///< event of the longest piece that has one
  std::int64_t longest_ns = 0;
  std::uint32_t recording = 0;  ///< of `longest`: index into ActivityGraph::ranks
};

/// Part of a graph that rows cover.
struct PathView {
  const ActivityGraph& graph;
  TimeRange range;        ///< in common time
  bool one_step = false;  ///< whether the range is one step
};

struct GraphStep {
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;  ///< in common time, as is `end_ns`
  std::int64_t end_ns = 0;    ///< of the last rank, and of the step's work
};

/// Returns the steps of the first rank that has any. They end when the last rank has ended its step of this
/// number.
std::vector<GraphStep> graph_steps(const ActivityGraph& graph);

/// Returns the rows, in order of time per step or range, the longest first. Pieces are in their own order.
/// O(pieces log pieces).
std::vector<PathRow> path_rows(const PathView& view, const CriticalPath& path, PathGrouping grouping);

}  // namespace kino
