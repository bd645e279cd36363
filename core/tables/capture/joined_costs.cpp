#include "core/tables/capture/joined_costs.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/saturating.hpp"

namespace kino {
namespace {

/// Returns a row for the captured launch, without costs.
JoinedCost row_of(const GraphCaptures& captures, const ReplayJoin& replay, std::uint32_t node,
                  JoinedGrouping grouping) {
  JoinedCost row;
  if (node == CaptureJoin::kNoNode) return row;
  const CapturedLaunch& launch = captures.captures()[replay.capture].nodes[node];
  row.level = replay.level;
  if (grouping == JoinedGrouping::module) {
    row.name = captures.module_name(launch);
  } else {
    row.name = captures.operator_name(launch);
    if (replay.shapes) row.shapes = captures.shapes_of_inputs(launch);
  }
  return row;
}

}  // namespace

std::vector<JoinedCost> joined_costs(const Trace& trace, const GraphCaptures& captures,
                                     const CaptureJoin& join, TimeRange range, JoinedGrouping grouping) {
  using Key = std::tuple<std::string_view, std::string_view, JoinLevel>;
  std::map<Key, JoinedCost> by_key;
  for (const ReplayJoin& replay : join.replays) {
    const std::int64_t start_ns = trace.start_ns(replay.launch);
    if (start_ns < range.begin_ns || start_ns >= range.end_ns) continue;
    for (std::size_t i = replay.first_work; i < replay.first_work + replay.work_count; ++i) {
      const SliceId work = join.work[i];
      const JoinedCost empty = row_of(captures, replay, join.nodes[i], grouping);
      JoinedCost& row = by_key.try_emplace({empty.name, empty.shapes, empty.level}, empty).first->second;
      ++row.work;
      add_saturating(row.gpu_ns, trace.duration_ns(work));
      if (row.longest == kNoSlice || trace.duration_ns(work) > trace.duration_ns(row.longest))
        row.longest = work;
    }
  }
  std::vector<JoinedCost> rows;
  rows.reserve(by_key.size());
  for (auto& [key, row] : by_key) rows.push_back(row);
  std::ranges::stable_sort(rows, std::ranges::greater(), &JoinedCost::gpu_ns);
  return rows;
}

}  // namespace kino
