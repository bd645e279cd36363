#include "core/tables/capture/replay_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/iterations.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

enum class ReplayGrouping : std::uint8_t { launch, op, module };

constexpr std::string_view kReplayKeys[] = {"launch"};
constexpr std::string_view kJoinedOperatorKeys[] = {"operator", "shapes", "level"};
constexpr std::string_view kJoinedModuleKeys[] = {"module", "level"};
/// In the order of ReplayGrouping.
constexpr TableGroup kReplayGroups[] = {{"launch", msg::replays_by_launch, kReplayKeys},
                                        {"operator", msg::replays_by_operator, kJoinedOperatorKeys},
                                        {"module", msg::replays_by_module, kJoinedModuleKeys}};

/// A row: a graph launch and its number in the trace.
struct ReplayRow {
  std::int64_t number = 0;
  const ReplayJoin* replay = nullptr;
};

std::vector<ReplayRow> replay_rows(const Trace& trace, const CaptureJoin& join, TimeRange range) {
  std::vector<ReplayRow> rows;
  rows.reserve(join.replays.size());
  for (std::size_t i = 0; i < join.replays.size(); ++i) {
    const std::int64_t start_ns = trace.start_ns(join.replays[i].launch);
    if (start_ns >= range.begin_ns && start_ns < range.end_ns)
      rows.push_back({static_cast<std::int64_t>(i), &join.replays[i]});
  }
  return rows;
}

/// Returns the launches and tokens of the engine's iterations. An iteration launches from its mark to the
/// next one.
std::vector<BatchWindow> batch_windows(const Trace& trace, const std::stop_token& stop) {
  std::vector<BatchWindow> windows;
  const ServingRun run = find_iterations(trace, {}, stop);
  windows.reserve(run.iterations.list.size());
  for (const Iteration& iteration : run.iterations.list) {
    const std::int64_t begin_ns = iteration.mark.begin_ns;
    if (!windows.empty()) windows.back().launches.end_ns = begin_ns;
    windows.push_back({{begin_ns, whole_range(trace).end_ns}, iteration.tokens().value_or(-1)});
  }
  return windows;
}

/// Adds the share of the work that is joined, the number of captures, and the reasons for empty cells.
void add_notes(const GraphCaptures& captures, const std::vector<ReplayRow>& rows, Table& table) {
  std::uint64_t work = 0;
  std::uint64_t joined = 0;
  std::uint64_t without_work = 0;
  std::uint64_t ambiguous = 0;
  for (const auto& [number, replay] : rows) {
    work += replay->work_count;
    joined += replay->joined;
    without_work += replay->work_count == 0 ? 1 : 0;
    ambiguous += replay->level != JoinLevel::none && !replay->shapes ? 1 : 0;
  }
  if (captures.captures().empty()) {
    table.notes.emplace_back(msg::no_capture_was_recorded);
  } else {
    table.notes.emplace_back(msg::launches_captured_into, grouped(captures.launch_count()),
                             grouped(captures.captures().size()));
    table.notes.emplace_back(msg::work_of_replays_joined, grouped(joined), grouped(work));
  }
  if (ambiguous > 0) table.notes.emplace_back(msg::replays_of_unknown_batch, grouped(ambiguous));
  if (without_work > 0)
    table.notes.emplace_back(msg::of_graph_launches_have_no_gpu, grouped(without_work), grouped(rows.size()));
}

}  // namespace

msg::Id title_of(JoinLevel level) {
  constexpr std::array<msg::Id, kJoinLevelCount> kTitles{
      msg::join_exact, msg::join_aligned, msg::join_by_occurrence, msg::join_by_order, msg::join_none};
  return kTitles[static_cast<std::size_t>(level)];
}

Table replay_table(const Trace& trace, const GraphCaptures& captures, const CaptureJoin& join,
                   TimeRange range) {
  const std::vector<ReplayRow> rows = replay_rows(trace, join, range);
  Table table = titled_table(kReplayTable, msg::replays_definition);
  table.integers_of(rows, "launch", msg::graph_launch, Unit::id, msg::graph_launch_about, &ReplayRow::number);
  table.integers_of(rows, "start_ns", msg::start, Unit::ns, msg::graph_launch_start,
                    [&](const ReplayRow& row) { return trace.start_ns(row.replay->launch); });
  table.texts_of(rows, "call", msg::call, msg::call_that_launches_it,
                 [&](const ReplayRow& row) { return std::string(trace.name_of(row.replay->launch)); });
  table.integers_of(rows, "work", msg::gpu_work, Unit::count, msg::work_of_replay,
                    [](const ReplayRow& row) { return row.replay->work_count; });
  table.integers_of(rows, "capture", msg::graph_capture, Unit::id, msg::graph_capture_about,
                    [](const ReplayRow& row) -> std::int64_t {
                      const std::uint32_t capture = row.replay->capture;
                      return capture == ReplayJoin::kNoCapture ? kNoInteger : std::int64_t{capture};
                    });
  table.text_column(rows, "level", msg::join_level, msg::join_level_about,
                    [](const ReplayRow& row) -> Message { return title_of(row.replay->level); });
  table.integers_of(rows, "joined", msg::joined_work, Unit::count, msg::joined_work_about,
                    [](const ReplayRow& row) { return row.replay->joined; });
  table.integers_of(rows, "batch", msg::captured_batch_size, Unit::count, msg::captured_batch_about,
                    [&](const ReplayRow& row) -> std::int64_t {
                      if (!row.replay->shapes) return kNoInteger;
                      return known_or_none(captures.captures()[row.replay->capture].batch);
                    });
  table.links.reserve(rows.size());
  for (const ReplayRow& row : rows) table.links.emplace_back(row.replay->launch);
  add_notes(captures, rows, table);
  return table;
}

Table joined_cost_table(const Trace& trace, const GraphCaptures& captures, const CaptureJoin& join,
                        TimeRange range, JoinedGrouping grouping) {
  const std::vector<JoinedCost> rows = joined_costs(trace, captures, join, range, grouping);
  Table table = titled_table(kReplayTable, msg::joined_costs_definition);
  const auto name = [](const JoinedCost& row) { return std::string(row.name); };
  if (grouping == JoinedGrouping::module) {
    table.texts_of(rows, "module", msg::module, msg::joined_module_about, name);
  } else {
    table.texts_of(rows, "operator", msg::operator_, msg::joined_operator_about, name);
    table.texts_of(rows, "shapes", msg::input_shapes, msg::joined_shapes_about,
                   [](const JoinedCost& row) { return std::string(row.shapes); });
  }
  table.text_column(rows, "level", msg::join_level, msg::join_level_about,
                    [](const JoinedCost& row) -> Message { return title_of(row.level); });
  table.integers_of(rows, "work", msg::gpu_work, Unit::count, msg::joined_cost_work_about, &JoinedCost::work);
  table.integers_of(rows, "gpu_ns", msg::gpu, Unit::ns, msg::joined_cost_time_about, &JoinedCost::gpu_ns);
  std::int64_t all_ns = 0;
  for (const JoinedCost& row : rows) add_saturating(all_ns, row.gpu_ns);
  table.number_column(
      rows, "share", msg::share, Unit::share, msg::joined_cost_share_about, [all_ns](const JoinedCost& row) {
        return all_ns > 0 ? static_cast<double>(row.gpu_ns) / static_cast<double>(all_ns) : kNoNumber;
      });
  table.links.reserve(rows.size());
  for (const JoinedCost& row : rows) table.links.emplace_back(row.longest);
  add_notes(captures, replay_rows(trace, join, range), table);
  return table;
}

constexpr TableKind<RangeParts> kReplayTable{
    {.name = "replays",
     .title = msg::graph_replays_title,
     .heading = msg::from_cpu_to_gpu,
     .about = msg::about_replays,
     .groups = kReplayGroups,
     .supports = {.captures = true}},
    [](const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const GraphCaptures captures(query.captures != nullptr ? *query.captures : parts.trace(), stop);
      const CaptureJoin join =
          capture_join(parts.trace(), captures, batch_windows(parts.trace(), stop), stop);
      const auto grouping = static_cast<ReplayGrouping>(query.group);
      if (grouping == ReplayGrouping::launch)
        return replay_table(parts.trace(), captures, join, parts.range());
      const JoinedGrouping joined =
          grouping == ReplayGrouping::module ? JoinedGrouping::module : JoinedGrouping::op;
      return joined_cost_table(parts.trace(), captures, join, parts.range(), joined);
    }};

}  // namespace kino
