#include "core/gpu/launch_table.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/relations/range_parts.hpp"

namespace kino {

std::vector<LaunchRow> launch_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop) {
  struct Group {
    LaunchRow row;
    std::vector<std::int64_t> delays;
    std::int64_t longest = -1;
  };
  std::vector<Group> groups;
  std::unordered_map<std::uint32_t, std::size_t> by_call;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const SliceId launch = trace.slices.link[index_of(slice)];
      if (launch == kNoSlice) continue;
      const NameId call = trace.slices.name[index_of(launch)];
      const auto [place, fresh] = by_call.try_emplace(index_of(call), groups.size());
      if (fresh) groups.emplace_back().row.call = call;
      Group& group = groups[place->second];
      const std::int64_t cpu = trace.slices.duration_ns[index_of(launch)];
      const std::int64_t gpu = trace.slices.duration_ns[index_of(slice)];
      const std::int64_t delay =
          std::max<std::int64_t>(0, trace.slices.start_ns[index_of(slice)] - trace.end_ns(launch));
      add_saturating(group.row.cpu_ns, cpu);
      add_saturating(group.row.gpu_ns, gpu);
      group.row.short_work += gpu < cpu && cpu <= LaunchRow::kLongCallNs ? 1 : 0;
      group.row.long_calls += cpu > LaunchRow::kLongCallNs ? 1 : 0;
      group.row.long_delays += delay > LaunchRow::kLongDelayNs ? 1 : 0;
      if (delay > group.longest) {
        group.longest = delay;
        group.row.slowest = slice;
      }
      group.delays.push_back(delay);
    }
  }
  std::vector<LaunchRow> rows;
  for (Group& group : groups) {
    group.row.count = group.delays.size();
    group.row.delay = spread_of(group.delays);
    rows.push_back(group.row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LaunchRow& a, const LaunchRow& b) { return a.count > b.count; });
  return rows;
}

std::vector<SliceId> launch_instances(const Trace& trace, const GpuWork& work, NameId call) {
  std::vector<SliceId> instances;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      const SliceId launch = trace.slices.link[index_of(slice)];
      if (launch != kNoSlice && trace.slices.name[index_of(launch)] == call) instances.push_back(slice);
    }
  }
  return instances;
}

Table launch_table(const Trace& trace, const std::vector<LaunchRow>& rows, std::size_t all_work) {
  Table table;
  table.name = "launch";
  table.title = "Launches";
  table.definition =
      "A row a kind of call that starts GPU work; each pair of call and work counts (HTA, launch "
      "statistics, with driver, graph and HIP calls).";
  table.texts_of(rows, "call", "Call", "Runtime or driver call",
                 [&](const LaunchRow& row) { return std::string(trace.names[index_of(row.call)]); });
  const auto count = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::count, about, get);
  };
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  count("count", "Pairs", "Calls with their GPU work", [](const LaunchRow& row) { return row.count; });
  time("cpu_total_ns", "CPU", "Summed durations of the calls",
       [](const LaunchRow& row) { return row.cpu_ns; });
  time("gpu_total_ns", "GPU", "Summed durations of the work",
       [](const LaunchRow& row) { return row.gpu_ns; });
  time("delay_total_ns", "Delay", "From the call's end to the work's start; 0 where the work starts earlier",
       [](const LaunchRow& row) { return row.delay.total_ns; });
  table.numbers_of(rows, "delay_mean_ns", "Mean delay", Unit::ns, "Delay divided by pairs",
                   [](const LaunchRow& row) { return row.delay.mean_ns(); });
  time("delay_median_ns", "Median delay", "Half of the delays are no longer",
       [](const LaunchRow& row) { return row.delay.median_ns; });
  time("delay_max_ns", "Longest delay", "The longest", [](const LaunchRow& row) { return row.delay.max_ns; });
  count("short_work", "Short work", "Work that is shorter than its call, of calls up to 50 µs",
        [](const LaunchRow& row) { return row.short_work; });
  count("long_calls", "Long calls", "Calls above 50 µs", [](const LaunchRow& row) { return row.long_calls; });
  count("long_delays", "Long delays", "Delays above 100 µs",
        [](const LaunchRow& row) { return row.long_delays; });
  for (const LaunchRow& row : rows) table.links.emplace_back(row.slowest);
  std::uint64_t linked = 0;
  for (const LaunchRow& row : rows) linked += row.count;
  if (all_work > 0) {
    table.notes.push_back(grouped(linked) + " of " + grouped(all_work) +
                          " pieces of GPU work have their launch in the trace.");
  }
  return table;
}

namespace {

constexpr std::string_view kLaunchKeys[] = {"call"};

}  // namespace

constexpr TableKind kLaunchTable{
    .name = "launch",
    .title = "Launches",
    .heading = "From CPU to GPU",
    .about = "How late work starts after its launch",
    .keys = kLaunchKeys,
    .compute = [](const RangeParts& parts, const TableAsked&, const std::stop_token& stop) -> Table {
      const GpuWork& work = parts.work(stop);
      return launch_table(parts.trace(), launch_rows(parts.trace(), work, stop), work.size());
    },
    .instances =
        [](const RangeParts& parts, const RowAsked& asked, const std::stop_token& stop) {
          const SliceColumns& slices = parts.trace().slices;
          const SliceId launch = slices.link[index_of(asked.example)];
          return launch_instances(parts.trace(), parts.work(stop), slices.name[index_of(launch)]);
        }};

}  // namespace kino
