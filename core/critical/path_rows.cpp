#include "core/critical/path_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/trace/row_window.hpp"

namespace kino {
namespace {

struct PathWindow {
  std::string step;  // number of the step; empty for a range
  TimeRange range;
};

/// Returns the windows of the selected steps if `by_step`, or if the range is one step; otherwise the part of
/// the window within the range. The window of a step ends when the step's work ends.
std::vector<PathWindow> path_windows(const PathView& view, bool by_step) {
  std::vector<PathWindow> windows;
  const TimeRange window = view.graph.window;
  std::int64_t begin_ns = window.begin_ns;
  for (const GraphStep& step : graph_steps(view.graph)) {
    const TimeRange part{begin_ns, step.end_ns};
    begin_ns = std::max(begin_ns, step.end_ns);
    const bool chosen = step.begin_ns >= view.range.begin_ns && step.begin_ns < view.range.end_ns;
    if (chosen) windows.push_back({std::to_string(step.number), part});
  }
  if (by_step && !windows.empty()) return windows;
  if (view.one_step && windows.size() == 1) return windows;
  const TimeRange part = {std::max(window.begin_ns, view.range.begin_ns),
                          std::min(window.end_ns, view.range.end_ns)};
  return {{{}, {part.begin_ns, std::max(part.begin_ns, part.end_ns)}}};
}

/// Sums the pieces of a window by the key of the grouping.
void add_rows(const ActivityGraph& graph, const CriticalPath& path, const PathWindow& window,
              PathGrouping grouping, std::vector<PathRow>& rows) {
  std::map<std::pair<PathCause, std::string>, std::size_t> index;
  for (const PathPiece& piece : pieces_within(path, window.range)) {
    const TimeRange part = clipped(piece.range, window.range.begin_ns, window.range.end_ns);
    const std::int64_t part_ns = part.length_ns();
    if (part_ns <= 0) continue;
    const std::int64_t rank = piece.rank < graph.ranks.size() ? graph.ranks[piece.rank].rank : -1;
    std::string name;
    if (grouping == PathGrouping::name || grouping == PathGrouping::piece) name = piece_name(graph, piece);
    std::pair<PathCause, std::string> key{piece.cause, name};
    if (grouping == PathGrouping::rank) key = {PathCause::compute, std::to_string(piece.rank)};
    if (grouping == PathGrouping::piece) key.second = std::to_string(rows.size());
    const auto [at, added] = index.try_emplace(std::move(key), rows.size());
    if (added) {
      rows.push_back({window.step, std::move(name), rank, piece.cause, part.begin_ns, 0,
                      window.range.length_ns(), 0, kNoSlice, 0, 0});
    }
    PathRow& row = rows[at->second];
    row.time_ns += part_ns;
    ++row.pieces;
    if (part_ns <= row.longest_ns || piece.slice == kNoSlice) continue;
    row.longest_ns = part_ns;
    row.longest = piece.slice;
    row.recording = piece.rank;
  }
}

}  // namespace

std::vector<GraphStep> graph_steps(const ActivityGraph& graph) {
  std::vector<GraphStep> steps;
  std::map<std::int64_t, std::size_t> index;  // by number
  for (const RankGraph& rank : graph.ranks) {
    const bool first = steps.empty();
    for (std::size_t i = 0; i < rank.steps.steps.size(); ++i) {
      const Step& step = rank.steps.steps[i];
      if (first) {
        index.try_emplace(step.number, steps.size());
        steps.push_back({step.number, rank.time.common_ns(step.range.begin_ns), rank.step_ends[i]});
      } else if (const auto same = index.find(step.number); same != index.end()) {
        std::int64_t& end_ns = steps[same->second].end_ns;
        end_ns = std::max(end_ns, rank.step_ends[i]);
      }
    }
  }
  return steps;
}

std::vector<PathRow> path_rows(const PathView& view, const CriticalPath& path, PathGrouping grouping) {
  std::vector<PathRow> rows;
  for (const PathWindow& window : path_windows(view, grouping == PathGrouping::step)) {
    const std::size_t first = rows.size();
    add_rows(view.graph, path, window, grouping, rows);
    if (grouping == PathGrouping::piece) continue;
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [](const PathRow& a, const PathRow& b) { return a.time_ns > b.time_ns; });
  }
  return rows;
}

}  // namespace kino
