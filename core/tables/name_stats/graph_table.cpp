#include "core/tables/name_stats/graph_table.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/graph_replays.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

constexpr std::string_view kGraphKeys[] = {"call", "work", "kernels", "longest_work"};

/// Times of a graph's work by name, to find the name with the most time.
using TimeByName = std::map<NameId, std::int64_t>;

void add_replay(const Trace& trace, const GraphReplay& replay, GraphRow& row, TimeByName& times,
                std::vector<std::int64_t>& spans, std::int64_t& longest_ns) {
  row.launches.push_back(replay.launch);
  add_saturating(row.cpu_ns, trace.duration_ns(replay.launch));
  if (row.slowest == kNoSlice) row.slowest = replay.launch;
  if (replay.work.empty()) return;
  const auto start = [&](SliceId work) { return trace.start_ns(work); };
  const SliceId first = *std::ranges::min_element(replay.work, {}, start);
  std::int64_t end = trace.end_ns(first);
  for (const SliceId work : replay.work) {
    end = std::max(end, trace.end_ns(work));
    add_saturating(row.busy_ns, trace.duration_ns(work));
    add_saturating(times[trace.name(work)], trace.duration_ns(work));
  }
  spans.push_back(end - start(first));
  if (spans.back() > longest_ns) {
    longest_ns = spans.back();
    row.slowest = first;
  }
}

std::vector<GraphRow> grouped_replays(const Trace& trace, const std::vector<GraphReplay>& replays) {
  using Key = std::pair<NameId, std::vector<NameId>>;
  std::map<Key, std::vector<const GraphReplay*>> graphs;
  for (const GraphReplay& replay : replays) {
    Key key{trace.name(replay.launch), {}};
    for (const SliceId work : replay.work) key.second.push_back(trace.name(work));
    std::ranges::sort(key.second);
    graphs[std::move(key)].push_back(&replay);
  }
  std::vector<GraphRow> rows;
  for (const auto& [key, same_graph] : graphs) {
    GraphRow& row = rows.emplace_back();
    row.call = key.first;
    row.work = key.second;
    const std::vector<SliceId>& work = same_graph.front()->work;
    row.kernels = static_cast<std::uint64_t>(
        std::ranges::count_if(work, [&](SliceId slice) { return trace.kind(slice) != SliceKind::copy; }));
    row.whole = std::ranges::any_of(work, [&](SliceId slice) {
      return trace.category_text(trace.category(slice)) == kWholeGraphCategory;
    });
    TimeByName times;
    std::vector<std::int64_t> spans;
    std::int64_t longest_ns = -1;
    for (const GraphReplay* const replay : same_graph)
      add_replay(trace, *replay, row, times, spans, longest_ns);
    row.replay = duration_stats(spans);
    const auto most = std::ranges::max_element(times, {}, [](const auto& time) { return time.second; });
    if (most != times.end()) row.longest_work = most->first;
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const GraphRow& row) { return std::pair(row.busy_ns, row.launches.size()); });
  return rows;
}

}  // namespace

std::vector<GraphRow> graph_rows(const Trace& trace, TimeRange range, const std::stop_token& stop) {
  return grouped_replays(trace, graph_replays(trace, range, stop));
}

Table graph_table(const Trace& trace, const std::vector<GraphRow>& rows) {
  Table table{.definition = msg::row_per_graph};
  table.texts_of(rows, "call", msg::call, msg::call_that_launches_it,
                 [&](const GraphRow& row) { return std::string(trace.name_text(row.call)); });
  table.integers_of(rows, "launches", msg::launches, Unit::count, msg::number_of_launches,
                    [](const GraphRow& row) { return row.launches.size(); });
  table.integers_of(rows, "kernels", msg::kernels, Unit::count, msg::number_in_one_replay,
                    [](const GraphRow& row) -> std::int64_t {
                      return row.whole ? kNoInteger : static_cast<std::int64_t>(row.kernels);
                    });
  table.integers_of(rows, "work", msg::gpu_work, Unit::count, msg::work_in_one_replay,
                    [](const GraphRow& row) -> std::int64_t {
                      return row.whole ? kNoInteger : static_cast<std::int64_t>(row.work.size());
                    });
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, [&](const GraphRow& row) {
      return row.work.empty() ? kNoInteger : std::invoke(get, row);
    });
  };
  time("busy_ns", msg::gpu, msg::summed_durations_of_the_work_of, &GraphRow::busy_ns);
  table.number_column(
      rows, "replay_mean_ns", msg::mean_replay, Unit::ns, msg::from_the_begin_of_its_first,
      [](const GraphRow& row) { return row.work.empty() ? kNoNumber : row.replay.mean_ns(); });
  const auto replay = [&](const char* key, msg::Id title, msg::Id about, std::int64_t DurationStats::*value) {
    time(key, title, about, [value](const GraphRow& row) { return row.replay.*value; });
  };
  replay("replay_min_ns", msg::shortest_replay, msg::the_shortest, &DurationStats::min_ns);
  replay("replay_median_ns", msg::median_replay, msg::half_of_the_replays_take_no, &DurationStats::median_ns);
  replay("replay_max_ns", msg::longest_replay, msg::the_longest, &DurationStats::max_ns);
  table.integers_of(rows, "cpu_ns", msg::cpu, Unit::ns, msg::summed_durations_of_the_calls,
                    &GraphRow::cpu_ns);
  table.texts_of(rows, "longest_work", msg::longest_work, msg::the_name_with_the_most_time,
                 [&](const GraphRow& row) {
                   return row.work.empty() ? std::string() : std::string(trace.name_text(row.longest_work));
                 });
  std::uint64_t launches = 0;
  std::uint64_t without = 0;
  for (const GraphRow& row : rows) {
    table.links.emplace_back(row.slowest);
    launches += row.launches.size();
    if (row.work.empty()) without += row.launches.size();
  }
  if (without > 0)
    table.notes.emplace_back(msg::of_graph_launches_have_no_gpu, grouped(without), grouped(launches));
  if (std::ranges::any_of(rows, &GraphRow::whole))
    table.notes.emplace_back(msg::kernels_and_gaps_of_graphs_that);
  return table;
}

constexpr TableKind<RangeParts> kGraphTable{
    {.name = "graphs",
     .title = msg::graph_launches,
     .heading = msg::from_cpu_to_gpu,
     .about = msg::about_graphs,
     .keys = kGraphKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      Table table = graph_table(parts.trace(), graph_rows(parts.trace(), parts.range(), stop));
      Message captured = captured_note(count_launches(parts.trace(), parts.range(), stop));
      if (!captured.empty()) table.notes.push_back(std::move(captured));
      return table;
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) -> std::vector<SliceId> {
      // The example is a launch, or some of its work.
      const Trace& trace = parts.trace();
      const SliceId launch =
          trace.kind(query.example) == SliceKind::runtime ? query.example : trace.link(query.example);
      for (GraphRow& row : graph_rows(parts.trace(), parts.range(), stop)) {
        if (std::ranges::find(row.launches, launch) != row.launches.end()) return std::move(row.launches);
      }
      return {};
    }};

}  // namespace kino
