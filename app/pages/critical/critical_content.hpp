// The computed content of the page of the critical path. Computed by workers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pages/critical/lane_cells.hpp"
#include "core/base/messages/message.hpp"
#include "core/critical/activity_graph.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/path_rows.hpp"
#include "core/critical/slack.hpp"
#include "core/critical/what_if.hpp"
#include "core/job/job_analysis.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Tables below the lanes.
enum class PathTab : std::uint8_t { cause, name, rank, step, longest };
inline constexpr std::size_t kPathTabs = 5;

/// Rows of one table, the longest first; with steps, in order of steps.
struct PathTable {
  static constexpr std::size_t kMostRows = 1000;
  std::vector<PathRow> rows;         ///< at most kMostRows
  std::vector<std::string> longest;  ///< by row: name of its longest piece; only in tables without names
  std::size_t all_rows = 0;
};

/// A job with the traces of all its ranks, and their files.
struct CriticalJob {
  std::shared_ptr<const JobAnalysis> analysis;
  std::vector<std::shared_ptr<const Trace>> traces;  ///< by index of JobAnalysis::ranks; not null
  std::vector<std::filesystem::path> files;          ///< like `traces`
};

/// The critical path of a trace or of a job, with the graph that it refers to.
struct CriticalContent {
  std::vector<std::shared_ptr<const Trace>> traces;  ///< by index of ActivityGraph::ranks
  std::shared_ptr<const JobAnalysis> job;            ///< null for a trace; its clocks are those of the graph
  std::vector<std::filesystem::path> files;          ///< of the ranks of a job; empty for a trace
  ActivityGraph graph;
  CriticalPath path;
  LaneCells lane;
  std::array<PathTable, kPathTabs> tables;  ///< by PathTab
  std::vector<std::uint32_t> longest;  ///< indices of pieces, longest first; at most PathTable::kMostRows
  RankLanes ranks;                     ///< rows of the ranks; empty for a trace
  std::vector<GraphStep> steps;
  std::vector<std::string> sliders;  ///< settings without value that apply: "loader", "kernel:gemm"
  SlackSummary slack;
  double explained = 0;     ///< share of the path
  double replay_error = 0;  ///< relative to the recorded length

  std::int64_t window_ns() const { return graph.window.length_ns(); }
  bool empty() const { return path.pieces.empty(); }
  bool has_work() const {
    return std::ranges::any_of(graph.ranks, [](const RankGraph& rank) { return !rank.works.empty(); });
  }
  /// Whether enough of the path is explained for forecasts.
  bool forecasts() const { return !empty() && explained >= CriticalPath::kLeastExplained; }
};

/// The path if the settings applied together.
struct RetimedContent {
  std::vector<std::string> settings;
  Message problem;  ///< reason why the settings cannot be combined; empty if they can
  Forecast forecast;
  std::vector<PathPiece> pieces;  ///< see RetimedPath
  TimeRange window;
  LaneCells lane;
};

/// Finds the path and its tables. Unspecified if stopped. O(slices log slices).
std::shared_ptr<const CriticalContent> critical_content(const std::shared_ptr<const Trace>& trace,
                                                        const std::stop_token& stop);

/// Finds the path of a job through its ranks, on the clocks of its analysis, and its tables. The job must have
/// ranks. Unspecified if stopped. O(slices log slices) for all ranks together.
std::shared_ptr<const CriticalContent> critical_content(CriticalJob job, const std::stop_token& stop);

/// Applies the settings, which must not be empty. Unspecified if stopped. O(edges).
std::shared_ptr<const RetimedContent> retimed_content(const CriticalContent& content,
                                                      std::vector<std::string> settings,
                                                      const std::stop_token& stop);

/// Returns a pattern for the setting "kernel:" that matches a name literally; empty if the name is too long.
std::string literal_pattern(const std::string& name);
/// Returns the text that literal_pattern() has made the pattern from.
std::string literal_text(const std::string& pattern);

}  // namespace kino
