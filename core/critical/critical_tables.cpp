#include "core/critical/critical_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/what_if.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

enum class PathGrouping : std::uint8_t { cause, name, rank, step, piece };

constexpr std::string_view kCauseKeys[] = {"cause"};
constexpr std::string_view kNameKeys[] = {"cause", "name"};
constexpr std::string_view kRankKeys[] = {"rank"};
constexpr std::string_view kStepKeys[] = {"step", "cause"};
/// In the order of PathGrouping.
constexpr TableGroup kPathGroups[] = {{"cause", msg::path_row_per_cause, kCauseKeys},
                                      {"name", msg::path_row_per_name, kNameKeys},
                                      {"rank", msg::path_row_per_rank, kRankKeys},
                                      {"step", msg::path_row_per_step, kStepKeys},
                                      {"piece", msg::path_row_per_piece}};

/// One row: the pieces of the path that it sums up.
struct PathRow {
  std::string step;
  std::string name;
  std::int64_t rank = -1;
  PathCause cause = PathCause::silent;
  std::int64_t start_ns = 0;
  std::int64_t time_ns = 0;
  std::int64_t window_ns = 0;
  std::int64_t pieces = 0;
  SliceId longest = kNoSlice;
  std::int64_t longest_ns = 0;
};

struct PathWindow {
  std::string step;  // number of the step; empty for a range
  TimeRange range;
};

/// Returns the windows of the selected steps if `by_step`, or if the range is one step; otherwise the part of
/// the window within the range. The window of a step ends when the step's work ends.
std::vector<PathWindow> path_windows(const ActivityGraph& graph, const RangeParts& parts, bool by_step) {
  std::vector<PathWindow> windows;
  const RankGraph& rank = graph.ranks.front();
  const TimeRange range = parts.range();
  std::int64_t begin_ns = graph.window.begin_ns;
  for (std::size_t i = 0; i < rank.steps.steps.size(); ++i) {
    const TimeRange part{begin_ns, rank.step_ends[i]};
    begin_ns = std::max(begin_ns, rank.step_ends[i]);
    const std::int64_t at_ns = rank.steps.steps[i].range.begin_ns;
    const bool chosen = at_ns >= range.begin_ns && at_ns < range.end_ns;
    if (chosen) windows.push_back({std::to_string(rank.steps.steps[i].number), part});
  }
  if (by_step && !windows.empty()) return windows;
  if (parts.step() && windows.size() == 1) return windows;
  const TimeRange part = {std::max(graph.window.begin_ns, range.begin_ns),
                          std::min(graph.window.end_ns, range.end_ns)};
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
    const std::int64_t rank = graph.ranks[std::min<std::size_t>(piece.rank, graph.ranks.size() - 1)].rank;
    std::string name;
    if (grouping == PathGrouping::name || grouping == PathGrouping::piece) name = piece_name(graph, piece);
    std::pair<PathCause, std::string> key{piece.cause, name};
    if (grouping == PathGrouping::rank) key = {PathCause::compute, std::to_string(rank)};
    if (grouping == PathGrouping::piece) key.second = std::to_string(rows.size());
    const auto [at, added] = index.try_emplace(std::move(key), rows.size());
    if (added) {
      rows.push_back({window.step, std::move(name), rank, piece.cause, part.begin_ns, 0,
                      window.range.length_ns(), 0, kNoSlice, 0});
    }
    PathRow& row = rows[at->second];
    row.time_ns += part_ns;
    ++row.pieces;
    if (part_ns <= row.longest_ns || piece.slice == kNoSlice) continue;
    row.longest_ns = part_ns;
    row.longest = piece.slice;
  }
}

Message percent_text(double share) { return formatted("%.2f %%", 100 * share); }

/// Adds the share of the path that is explained, and a warning if it is too small.
void add_notes(const ActivityGraph& graph, const CriticalPath& path, Table& table) {
  const double explained = path.explained(graph.window);
  table.notes.emplace_back(msg::path_explained, percent_text(explained));
  if (explained < CriticalPath::kLeastExplained) table.notes.emplace_back(msg::path_is_unexplained);
  if (graph.forced > 0) table.notes.emplace_back(msg::path_forced, std::to_string(graph.forced));
  const RankGraph& rank = graph.ranks.front();
  if (rank.implicit_waits > 0)
    table.notes.emplace_back(msg::path_implicit_waits, std::to_string(rank.implicit_waits));
  if (graph.ranks.size() == 1 && !rank.collectives.empty()) table.notes.emplace_back(msg::path_one_rank);
}

Table compute_critical_path(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const auto grouping = static_cast<PathGrouping>(query.group);
  const ActivityGraph graph = activity_graph(parts.trace(), stop);
  Table table = titled_table(kCriticalPathTable, msg::path_definition);
  const CriticalPath path = critical_path(graph);
  std::vector<PathRow> rows;
  const bool by_step = grouping == PathGrouping::step;
  const std::vector<PathWindow> windows = path_windows(graph, parts, by_step);
  for (const PathWindow& window : windows) {
    const std::size_t first = rows.size();
    add_rows(graph, path, window, grouping, rows);
    if (grouping == PathGrouping::piece) continue;
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [](const PathRow& a, const PathRow& b) { return a.time_ns > b.time_ns; });
  }
  if (by_step) table.texts_of(rows, "step", msg::step, msg::path_step_about, &PathRow::step);
  if (grouping == PathGrouping::rank)
    table.integers_of(rows, "rank", msg::rank, Unit::id, msg::path_rank_about,
                      [](const PathRow& row) { return known_or_none(row.rank); });
  if (grouping != PathGrouping::rank) {
    table.texts_of(rows, "cause", msg::cause, msg::path_cause_about,
                   [](const PathRow& row) { return text_of(row.cause); });
    for (const PathRow& row : rows) table.columns.back().words.emplace_back(title_of(row.cause));
  }
  if (grouping == PathGrouping::name || grouping == PathGrouping::piece)
    table.texts_of(rows, "name", msg::name, msg::path_name_about, &PathRow::name);
  if (grouping == PathGrouping::piece)
    table.integers_of(rows, "start_ns", msg::start, Unit::ns, msg::path_start_about, &PathRow::start_ns);
  table.integers_of(rows, "time_ns", msg::time, Unit::ns, msg::path_time_about, &PathRow::time_ns);
  table.number_column(rows, "share", msg::share, Unit::share, msg::path_share_about, [](const PathRow& row) {
    return row.window_ns > 0 ? static_cast<double>(row.time_ns) / static_cast<double>(row.window_ns)
                             : kNoNumber;
  });
  if (grouping != PathGrouping::piece)
    table.integers_of(rows, "pieces", msg::path_pieces, Unit::count, msg::path_pieces_about,
                      &PathRow::pieces);
  table.links.reserve(rows.size());
  for (const PathRow& row : rows) table.links.emplace_back(row.longest);
  add_notes(graph, path, table);
  return table;
}

/// Adds the columns of forecasts. The lowest and highest lengths include the margin.
void add_forecasts(const std::vector<Forecast>& forecasts, std::int64_t window_ns, Table& table) {
  const auto change = [window_ns](std::int64_t length_ns) {
    return window_ns > 0 ? (static_cast<double>(length_ns) - static_cast<double>(window_ns)) /
                               static_cast<double>(window_ns)
                         : kNoNumber;
  };
  table.texts_of(forecasts, "setting", msg::what_if_setting, msg::what_if_setting_about, &Forecast::setting);
  table.integers_of(forecasts, "length_ns", msg::what_if_length, Unit::ns, msg::what_if_length_about,
                    &Forecast::length_ns);
  table.number_column(forecasts, "change", msg::change, Unit::share, msg::what_if_change_about,
                      [&](const Forecast& row) { return change(row.length_ns); });
  table.number_column(forecasts, "lowest", msg::what_if_lowest, Unit::share, msg::what_if_lowest_about,
                      [&](const Forecast& row) {
                        return change(saturating_subtract(row.lowest_ns, row.margin_ns(window_ns)));
                      });
  table.number_column(
      forecasts, "highest", msg::what_if_highest, Unit::share, msg::what_if_highest_about,
      [&](const Forecast& row) { return change(saturating_add(row.highest_ns, row.margin_ns(window_ns))); });
  table.text_column(forecasts, "note", msg::what_if_note, msg::what_if_note_about,
                    [&](const Forecast& row) -> Message {
                      if (row.bound) return msg::what_if_bound;
                      if (row.may_be_nothing(window_ns)) return msg::what_if_uncertain;
                      return {};
                    });
}

Table compute_what_if(const RangeParts& parts, const TableQuery&, const std::stop_token& stop) {
  Result<Table> table = what_if_trace_table(parts, {}, false, stop);
  if (table.ok()) return std::move(table).value();
  Table empty = titled_table(kWhatIfTraceTable, msg::what_if_trace_definition);
  add_forecasts({}, 0, empty);
  empty.notes.push_back(table.error().what);
  return empty;
}

}  // namespace

Result<Table> what_if_trace_table(const RangeParts& parts, std::span<const std::string> settings, bool force,
                                  const std::stop_token& stop) {
  const ActivityGraph graph = activity_graph(parts.trace(), stop);
  const CriticalPath path = critical_path(graph);
  const double explained = path.explained(graph.window);
  if (explained < CriticalPath::kLeastExplained && !force)
    return Error{Error::Kind::unexplained, {msg::what_if_is_unexplained, percent_text(explained)}};
  std::vector<Forecast> forecasts;
  if (settings.empty()) {
    forecasts = usual_forecasts(graph, stop);
  } else {
    const Result<WhatIf> what_if = parse_what_if(graph, settings);
    if (!what_if.ok()) return what_if.error();
    forecasts.push_back(forecast(graph, what_if.value(), stop));
  }
  if (explained < CriticalPath::kLeastExplained) {
    for (Forecast& row : forecasts) row.bound = true;
  }
  Table table = titled_table(kWhatIfTraceTable, msg::what_if_trace_definition);
  const std::int64_t window_ns = graph.window.length_ns();
  add_forecasts(forecasts, window_ns, table);
  table.notes.emplace_back(msg::what_if_recorded, text_from_duration(window_ns));
  add_notes(graph, path, table);
  const Replay typical = replayed(graph, {}, Reading::typical);
  const double error = window_ns > 0
                           ? (static_cast<double>(typical.length_ns) - static_cast<double>(window_ns)) /
                                 static_cast<double>(window_ns)
                           : 0;
  table.notes.emplace_back(msg::what_if_replay, percent_text(error));
  if (settings.empty()) table.notes.emplace_back(msg::what_if_settings_meaning);
  return table;
}

constexpr TableKind<RangeParts> kCriticalPathTable{{.name = "critical-path",
                                                    .title = msg::critical_path_title,
                                                    .heading = msg::whole_trace,
                                                    .about = msg::about_critical_path,
                                                    .groups = kPathGroups},
                                                   &compute_critical_path};

constexpr std::string_view kSettingKeys[] = {"setting"};
constexpr TableKind<RangeParts> kWhatIfTraceTable{{.name = "what-if",
                                                   .title = msg::what_if,
                                                   .heading = msg::whole_trace,
                                                   .about = msg::about_what_if_trace,
                                                   .keys = kSettingKeys,
                                                   .supports = {.settings = true}},
                                                  &compute_what_if};

}  // namespace kino
