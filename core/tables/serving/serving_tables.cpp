#include "core/tables/serving/serving_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/iterations.hpp"
#include "core/tables/serving/serving_texts.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kIterationKeys[] = {"iteration"};
constexpr std::string_view kServingKeys[] = {"phase", "batch", "launched_by"};

/// An iteration with its number in the recording.
struct NumberedIteration {
  std::size_t number = 0;
  Iteration iteration;
};

/// Iterations of a range, with their statistics.
struct RangeRun {
  Iterations found;  // without its list
  std::vector<Iteration> list;
  std::vector<std::size_t> numbers;  // of `list`, in the recording
  std::vector<IterationGroup> groups;
  IterationQuery query;

  bool shows(IterationPhase phase, std::int64_t batch) const {
    if (!query.phase.empty() && query.phase != text_of(phase)) return false;
    return query.batches.empty() || std::ranges::any_of(query.batches, [&](std::uint64_t requests) {
             return std::in_range<std::int64_t>(requests) &&
                    batch_of_group(static_cast<std::int64_t>(requests)) == batch;
           });
  }
  bool shows(const Iteration& iteration) const {
    if (query.used_only && iteration.left_out != LeftOut::none) return false;
    return shows(iteration.phase, batch_of_group(iteration.requests().value_or(0)));
  }

  /// Returns the iterations to show.
  std::vector<NumberedIteration> numbered() const {
    std::vector<NumberedIteration> rows;
    rows.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (shows(list[i])) rows.push_back({numbers[i], list[i]});
    }
    return rows;
  }
};

/// Finds the iterations whose mark begins in the range.
RangeRun run_in(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const IterationQuery& wanted = query.iterations;
  ServingRun run =
      find_iterations(parts.trace(), {.keep_all = wanted.keep_all, .source = wanted.source}, stop);
  RangeRun result;
  result.query = wanted;
  std::vector<Iteration> all = std::exchange(run.iterations.list, {});
  const TimeRange range = parts.range();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].mark.begin_ns < range.begin_ns || all[i].mark.begin_ns >= range.end_ns) continue;
    result.numbers.push_back(i);
    result.list.push_back(all[i]);
  }
  result.found = std::move(run.iterations);
  if (result.list.size() == all.size()) {
    result.groups = std::move(run.groups);
    return result;
  }
  for (Iteration& iteration : result.list) {
    if (iteration.left_out == LeftOut::warm_up) iteration.left_out = LeftOut::none;
  }
  result.groups = group_iterations(result.list, wanted.keep_all);
  return result;
}

void add_notes(const RangeRun& run, Table& table) {
  const bool none_of_chosen =
      run.query.source != IterationSourceChoice::automatic && run.found.reason == NoIterations::nothing_found;
  Message note =
      none_of_chosen ? Message(msg::no_iterations_from_source) : source_text(run.found, run.list.size());
  if (!note.empty()) table.notes.push_back(std::move(note));
  if (!run.found.others.empty())
    table.notes.emplace_back(msg::other_engines, std::to_string(run.found.others.size()));
  const auto has = [&](auto member, auto value) {
    return std::ranges::find(run.list, value, member) != run.list.end();
  };
  if (has(&Iteration::phase, IterationPhase::verify)) table.notes.emplace_back(msg::speculation_is_a_bound);
  if (std::ranges::any_of(run.list, [](const Iteration& iteration) {
        return iteration.times[IterationPart::idle_scheduler] > 0;
      })) {
    table.notes.emplace_back(msg::scheduler_is_not_seen);
  }
}

std::int64_t value_or_none(std::optional<std::int64_t> value) { return value.value_or(kNoInteger); }

std::string part_text(const IterationTimes& times) {
  return times.total() > 0 ? std::string(text_of(times.largest())) : std::string();
}

/// Adds the largest part: its key, which is the same in every language, with its title.
template <class Rows, class GetTimes>
void add_part_column(Table& table, const Rows& rows, const GetTimes& times_of) {
  table.texts_of(rows, "bound_by", msg::serving_bound_by, msg::iteration_bound_by_about,
                 [&](const auto& row) { return part_text(times_of(row)); });
  for (const auto& row : rows) {
    const IterationTimes& times = times_of(row);
    Message title;
    if (times.total() > 0) title = title_of(times.largest());
    table.columns.back().words.push_back(std::move(title));
  }
}

void add_iteration_times(Table& table, const std::vector<NumberedIteration>& rows) {
  const auto time_column = [&](const char* key, msg::Id title, msg::Id about, auto get) {
    table.integers_of(rows, key, title, Unit::ns, about, [&](const NumberedIteration& row) {
      return row.iteration.window ? get(row.iteration) : kNoInteger;
    });
  };
  time_column("start_ns", msg::start, msg::iteration_start_about,
              [](const Iteration& iteration) { return iteration.window->begin_ns; });
  time_column("window_ns", msg::iteration_window, msg::iteration_window_about,
              [](const Iteration& iteration) { return iteration.window_ns(); });
  time_column("gpu_span_ns", msg::iteration_gpu_span, msg::iteration_gpu_span_about,
              [](const Iteration& iteration) { return iteration.gpu_span_ns; });
  time_column("busy_ns", msg::iteration_busy, msg::iteration_busy_about,
              [](const Iteration& iteration) { return iteration.busy_ns; });
}

Table iteration_table(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const RangeRun run = run_in(parts, query, stop);
  const std::vector<NumberedIteration> rows = run.numbered();
  Table table = titled_table(kIterationTable, msg::iterations_definition);
  table.integers_of(rows, "iteration", msg::iteration_index, Unit::id, msg::iteration_index_about,
                    &NumberedIteration::number);
  table.texts_of(rows, "name", msg::name, msg::iteration_name_about, [&](const NumberedIteration& row) {
    const SliceId slice = row.iteration.slice;
    return slice == kNoSlice ? std::string() : std::string(trace.name_of(slice));
  });
  table.text_column(rows, "phase", msg::phase, msg::iteration_phase_about,
                    [](const NumberedIteration& row) { return title_of(row.iteration.phase); });
  table.text_column(rows, "phase_from", msg::iteration_guessed, msg::iteration_guessed_about,
                    [](const NumberedIteration& row) {
                      return row.iteration.guessed ? Message(msg::phase_is_guessed) : Message();
                    });
  table.integers_of(
      rows, "requests", msg::serving_requests, Unit::count, msg::iteration_requests_about,
      [](const NumberedIteration& row) { return value_or_none(all_requests(row.iteration.sizes)); });
  table.integers_of(rows, "tokens", msg::serving_tokens, Unit::count, msg::iteration_tokens_about,
                    [](const NumberedIteration& row) { return value_or_none(row.iteration.tokens()); });
  table.texts_of(rows, "launched_by", msg::serving_launched_by, msg::iteration_launched_by_about,
                 [](const NumberedIteration& row) { return text_of(row.iteration.launched_by); });
  add_iteration_times(table, rows);
  add_part_column(table, rows,
                  [](const NumberedIteration& row) -> const IterationTimes& { return row.iteration.times; });
  table.text_column(rows, "left_out", msg::iteration_left_out, msg::iteration_left_out_about,
                    [&](const NumberedIteration& row) { return left_out_text(trace, row.iteration); });
  for (const NumberedIteration& row : rows) {
    const Iteration& iteration = row.iteration;
    table.links.emplace_back(iteration.slice != kNoSlice ? iteration.slice : iteration.first_kernel);
  }
  add_notes(run, table);
  return table;
}

Message remark(const IterationGroup& group) {
  if (group.steady == SteadyState::too_few) return msg::steady_too_few;
  if (group.steady == SteadyState::missing) return msg::steady_missing;
  return group.steady_from > 0 ? Message(msg::steady_from, std::to_string(group.steady_from)) : Message();
}

void add_window_columns(Table& table, const std::vector<IterationGroup>& groups) {
  const auto add = [&](const char* key, const Message& title, msg::Id about,
                       std::int64_t WindowStats::*value) {
    table.integers_of(groups, key, title, Unit::ns, about,
                      [value](const IterationGroup& group) { return group.windows.*value; });
  };
  add("p50_ns", msg::median, msg::serving_p50_about, &WindowStats::p50_ns);
  add("p90_ns", msg::p90, msg::serving_p90_about, &WindowStats::p90_ns);
  add("p99_ns", msg::p99, msg::serving_p99_about, &WindowStats::p99_ns);
  add("min_ns", msg::min, msg::serving_min_about, &WindowStats::min_ns);
  add("max_ns", msg::max, msg::serving_max_about, &WindowStats::max_ns);
  add("total_ns", msg::total, msg::serving_sum_about, &WindowStats::sum_ns);
}

/// Adds one column per part, for programs: "moe_ns", "idle_host_ns".
void add_part_times(Table& table, const std::vector<IterationGroup>& groups) {
  for (std::size_t i = 0; i < kIterationPartCount; ++i) {
    std::string key(kIterationPartNames[i]);
    std::ranges::replace_if(
        key, [](char c) { return c == ':' || c == '-'; }, '_');
    key += "_ns";
    table.integers_of(groups, key.c_str(), title_of(static_cast<IterationPart>(i)), Unit::ns,
                      msg::serving_part_about,
                      [i](const IterationGroup& group) { return group.times.ns[i]; });
    table.columns.back().export_only = true;
  }
}

Table serving_table(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const RangeRun run = run_in(parts, query, stop);
  std::vector<IterationGroup> groups = run.groups;
  std::erase_if(groups, [&](const IterationGroup& group) { return !run.shows(group.phase, group.batch); });
  Table table = titled_table(kServingTable, msg::serving_definition);
  table.text_column(groups, "phase", msg::phase, msg::iteration_phase_about,
                    [](const IterationGroup& group) { return title_of(group.phase); });
  table.integers_of(groups, "batch", msg::serving_requests, Unit::count, msg::serving_batch_about,
                    [](const IterationGroup& group) { return group.batch > 0 ? group.batch : kNoInteger; });
  table.texts_of(groups, "launched_by", msg::serving_launched_by, msg::iteration_launched_by_about,
                 [](const IterationGroup& group) { return text_of(group.launched_by); });
  table.integers_of(groups, "iterations", msg::iterations_title, Unit::count, msg::serving_iterations_about,
                    &IterationGroup::iterations);
  table.integers_of(groups, "used", msg::serving_used, Unit::count, msg::serving_used_about,
                    [](const IterationGroup& group) { return group.windows.count; });
  add_window_columns(table, groups);
  table.integers_of(groups, "generated_per_s", msg::serving_generated_per_s, Unit::count,
                    msg::serving_generated_per_s_about, [](const IterationGroup& group) {
                      return group.generated > 0 ? group.generated_per_s() : kNoInteger;
                    });
  table.integers_of(groups, "prefilled_per_s", msg::serving_prefilled_per_s, Unit::count,
                    msg::serving_prefilled_per_s_about, [](const IterationGroup& group) {
                      return group.prefilled > 0 ? group.prefilled_per_s() : kNoInteger;
                    });
  add_part_column(table, groups,
                  [](const IterationGroup& group) -> const IterationTimes& { return group.times; });
  table.text_column(groups, "remark", msg::serving_remark, msg::serving_remark_about, remark);
  add_part_times(table, groups);
  const WindowStats between = time_between_tokens(run.list);
  if (between.count > 0) {
    table.notes.emplace_back(msg::between_tokens, text_from_duration(between.p50_ns),
                             text_from_duration(between.p90_ns), text_from_duration(between.p99_ns));
  }
  add_notes(run, table);
  return table;
}

Table stall_table(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const RangeRun run = run_in(parts, query, stop);
  std::vector<Stall> stalls = find_stalls(run.list);
  std::erase_if(stalls, [&](const Stall& stall) { return !run.shows(run.list[stall.iteration]); });
  const auto iteration_of = [&](const Stall& stall) -> const Iteration& { return run.list[stall.iteration]; };
  Table table = titled_table(kStallTable, msg::stalls_definition);
  table.integers_of(stalls, "iteration", msg::iteration_index, Unit::id, msg::iteration_index_about,
                    [&](const Stall& stall) { return run.numbers[stall.iteration]; });
  table.text_column(stalls, "phase", msg::phase, msg::iteration_phase_about,
                    [&](const Stall& stall) { return title_of(iteration_of(stall).phase); });
  table.integers_of(
      stalls, "requests", msg::serving_requests, Unit::count, msg::iteration_requests_about,
      [&](const Stall& stall) { return value_or_none(all_requests(iteration_of(stall).sizes)); });
  table.integers_of(stalls, "tokens", msg::serving_tokens, Unit::count, msg::iteration_tokens_about,
                    [&](const Stall& stall) { return value_or_none(iteration_of(stall).tokens()); });
  table.integers_of(stalls, "start_ns", msg::start, Unit::ns, msg::iteration_start_about,
                    [&](const Stall& stall) { return iteration_of(stall).window->begin_ns; });
  table.integers_of(stalls, "window_ns", msg::iteration_window, Unit::ns, msg::iteration_window_about,
                    [&](const Stall& stall) { return iteration_of(stall).window_ns(); });
  table.integers_of(stalls, "stall_ns", msg::stall_time, Unit::ns, msg::stall_time_about, &Stall::ns);
  std::int64_t total_ns = 0;
  for (const Stall& stall : stalls) {
    const Iteration& iteration = iteration_of(stall);
    table.links.emplace_back(iteration.slice != kNoSlice ? iteration.slice : iteration.first_kernel);
    add_saturating(total_ns, stall.ns);
  }
  if (!stalls.empty()) {
    table.notes.emplace_back(msg::stalls_total, std::to_string(stalls.size()), text_from_duration(total_ns));
  }
  add_notes(run, table);
  return table;
}

}  // namespace

constexpr TableKind<RangeParts> kIterationTable{{.name = "iterations",
                                                 .title = msg::iterations_title,
                                                 .heading = msg::serving_heading,
                                                 .about = msg::about_iterations,
                                                 .keys = kIterationKeys,
                                                 .supports = {.iterations = true}},
                                                &iteration_table};

constexpr TableKind<RangeParts> kServingTable{{.name = "serving",
                                               .title = msg::serving_title,
                                               .heading = msg::serving_heading,
                                               .about = msg::about_serving,
                                               .keys = kServingKeys,
                                               .supports = {.iterations = true}},
                                              &serving_table};

constexpr TableKind<RangeParts> kStallTable{{.name = "stalls",
                                             .title = msg::stalls_title,
                                             .heading = msg::serving_heading,
                                             .about = msg::about_stalls,
                                             .keys = kIterationKeys,
                                             .supports = {.iterations = true}},
                                            &stall_table};

}  // namespace kino
