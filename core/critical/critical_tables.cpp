#include "core/critical/critical_tables.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/saturating.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/critical/critical_path.hpp"
#include "core/critical/path_rows.hpp"
#include "core/critical/what_if.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

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

Message percent_text(double share) { return formatted("%.2f %%", 100 * share); }

/// Adds the share of the path that is explained, and a warning if it is too small.
void add_notes(const ActivityGraph& graph, const CriticalPath& path, Table& table) {
  const double explained = path.explained(graph.window);
  table.notes.emplace_back(msg::path_explained, percent_text(explained));
  if (explained < CriticalPath::kLeastExplained) table.notes.emplace_back(msg::path_is_unexplained);
  if (graph.forced > 0) table.notes.emplace_back(msg::path_forced, std::to_string(graph.forced));
  std::uint64_t implicit_waits = 0;
  for (const RankGraph& rank : graph.ranks) implicit_waits += rank.implicit_waits;
  if (implicit_waits > 0) table.notes.emplace_back(msg::path_implicit_waits, std::to_string(implicit_waits));
  if (graph.ranks.size() == 1 && !graph.ranks.front().collectives.empty())
    table.notes.emplace_back(msg::path_one_rank);
  if (graph.ranks.size() > 1)
    table.notes.emplace_back(msg::path_joined, std::to_string(graph.arrivals.size()));
}

/// Computes the table critical-path. Pieces of a job have a rank.
Table path_table(const PathView& view, std::size_t group) {
  const auto grouping = static_cast<PathGrouping>(group);
  const CriticalPath path = critical_path(view.graph);
  const std::vector<PathRow> rows = path_rows(view, path, grouping);
  Table table = titled_table(kCriticalPathTable, msg::path_definition);
  if (grouping == PathGrouping::step)
    table.texts_of(rows, "step", msg::step, msg::path_step_about, &PathRow::step);
  if (grouping == PathGrouping::rank || (grouping == PathGrouping::piece && view.graph.ranks.size() != 1)) {
    table.integers_of(rows, "rank", msg::rank, Unit::id, msg::path_rank_about,
                      [](const PathRow& row) { return known_or_none(row.rank); });
  }
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
  if (grouping != PathGrouping::piece) {
    table.integers_of(rows, "pieces", msg::path_pieces, Unit::count, msg::path_pieces_about,
                      &PathRow::pieces);
  }
  table.links.reserve(rows.size());
  for (const PathRow& row : rows) table.links.emplace_back(row.longest, row.recording);
  add_notes(view.graph, path, table);
  return table;
}

Table compute_critical_path(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const ActivityGraph graph = activity_graph(parts.trace(), stop);
  return path_table({graph, parts.range(), parts.step().has_value()}, query.group);
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

/// Computes the table what-if. See what_if_trace_table().
Result<Table> what_if_table(const ActivityGraph& graph, std::span<const std::string> settings, bool force,
                            const std::stop_token& stop) {
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

Table compute_what_if(const RangeParts& parts, const TableQuery&, const std::stop_token& stop) {
  Result<Table> table = what_if_trace_table(parts, {}, false, stop);
  if (table.ok()) return std::move(table).value();
  Table empty = titled_table(kWhatIfTraceTable, msg::what_if_trace_definition);
  add_forecasts({}, 0, empty);
  empty.notes.push_back(table.error().what);
  return empty;
}

/// Returns the part of a job that a table shows: the whole window, or the requested range or step.
Result<PathView> requested_view(const ActivityGraph& graph, const TableRequest& request) {
  if (request.range || !request.step) return PathView{graph, request.range.value_or(graph.window)};
  std::string known;
  for (const GraphStep& step : graph_steps(graph)) {
    if (step.number == *request.step) return PathView{graph, {step.begin_ns, step.begin_ns + 1}, true};
    known += (known.empty() ? "" : ", ") + std::to_string(step.number);
  }
  if (known.empty()) return request_error(msg::there_are_no_steps);
  return request_error({msg::there_is_no_such_step, std::to_string(*request.step), known});
}

/// Adds to a table of a job that some ranks have no trace.
void add_missing_note(const JobAnalysis& job, Table& table) {
  if (!job.missing.empty())
    table.notes.emplace_back(msg::path_missing_ranks, std::to_string(job.missing.size()));
}

}  // namespace

Result<Table> what_if_trace_table(const RangeParts& parts, std::span<const std::string> settings, bool force,
                                  const std::stop_token& stop) {
  return what_if_table(activity_graph(parts.trace(), stop), settings, force, stop);
}

std::span<const TableInfo* const> job_trace_table_kinds() {
  static constexpr std::array<const TableInfo*, 2> kKinds{&kJobPathTable, &kJobWhatIfTable};
  return kKinds;
}

Result<Table> job_trace_table(const TracedJob& job, const TableRequest& request,
                              const std::stop_token& stop) {
  const TableInfo* const kind = kind_named(job_trace_table_kinds(), request.name);
  if (kind == nullptr) return request_error(Message(msg::table_needs_one_recording, request.name));
  const bool of_path = kind == &kJobPathTable;
  if ((request.step && !of_path) || request.stream || request.device || !request.at.empty() ||
      !request.since.empty() || !request.find.empty()) {
    return request_error(msg::options_need_one_recording);
  }
  if (request.range && !of_path)
    return request_error(Message(msg::table_covers_whole_recordings, request.name));
  const std::optional<std::size_t> group = kind->group_named(request.group);
  if (!group)
    return request_error(Message(msg::the_table_cannot_be_grouped_by, request.name, escaped(request.group)));
  const ActivityGraph graph = activity_graph(job, stop);
  if (!of_path) {
    Result<Table> table = what_if_table(graph, request.settings, request.force, stop);
    if (table.ok()) add_missing_note(job.job, table.value());
    return table;
  }
  const Result<PathView> view = requested_view(graph, request);
  if (!view.ok()) return view.error();
  Table table = path_table(view.value(), *group);
  add_missing_note(job.job, table);
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

constexpr TableInfo kJobPathTable{.name = "critical-path",
                                  .title = msg::critical_path_title,
                                  .about = msg::about_critical_path,
                                  .groups = kPathGroups};
constexpr TableInfo kJobWhatIfTable{.name = "what-if",
                                    .title = msg::what_if,
                                    .about = msg::about_what_if_trace,
                                    .keys = kSettingKeys,
                                    .supports = {.settings = true}};

}  // namespace kino
