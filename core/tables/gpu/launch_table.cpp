#include "core/tables/gpu/launch_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

/// Whether a copy involves host memory, and its name does not show if this memory is pageable: "Memcpy HtoD
/// (Host -> Device)".
bool has_unknown_host_memory(std::string_view name) {
  constexpr std::array<std::string_view, 12> kKnown{
      "emset", "ill",  "Pageable",         "Pinned",         "Managed",          "Unified",
      "DtoD",  "PtoP", "Device -> Device", "DeviceToDevice", "DEVICE_TO_DEVICE", "PeerToPeer"};
  return std::ranges::none_of(kKnown, [&](std::string_view part) { return contains(name, part); });
}

/// Returns a note on work that starts before its call returns. Parts with a count of 0 are omitted.
Message early_note(const std::vector<LaunchRow>& rows) {
  std::uint64_t early = 0;
  std::uint64_t pageable = 0;
  std::uint64_t unknown = 0;
  std::uint64_t before_call = 0;
  for (const LaunchRow& row : rows) {
    early += row.early;
    pageable += row.early_pageable;
    unknown += row.early_maybe_pageable;
    before_call += row.before_call;
  }
  if (early == 0) return {};
  Message note(early == 1 ? msg::of_these_starts_before_the_call : msg::of_these_start_before_the_call,
               grouped(early));
  if (pageable > 0) note.then({msg::copies_of_pageable_memory_among_them, grouped(pageable)});
  if (unknown > 0) note.then({msg::copies_of_host_memory_of_unknown, grouped(unknown)});
  if (before_call > 0) note.then({msg::work_before_its_call_begins, grouped(before_call)});
  return note;
}

/// Accumulates the pairs of call and work of one call name.
struct LaunchGroup {
  LaunchRow row;
  std::vector<std::int64_t> delays;
  std::vector<SliceId> calls;  // calls in order of pairs; consecutive duplicates are omitted
  std::int64_t longest = -1;
  bool of_graphs = false;

  void add(const Trace& trace, SliceId slice, SliceId launch) {
    ++row.count;
    const std::int64_t cpu = trace.duration_ns(launch);
    const std::int64_t gpu = trace.duration_ns(slice);
    add_saturating(row.cpu_ns, cpu);
    add_saturating(row.gpu_ns, gpu);
    row.short_work += gpu < cpu && cpu <= LaunchRow::kLongCallNs ? 1 : 0;
    row.long_calls += cpu > LaunchRow::kLongCallNs ? 1 : 0;
    const EarlyStart early = early_start(trace, slice);
    row.early += early != EarlyStart::none ? 1 : 0;
    row.early_pageable += early == EarlyStart::pageable_copy ? 1 : 0;
    const bool unknown = early == EarlyStart::during_call && trace.kind(slice) == SliceKind::copy &&
                         has_unknown_host_memory(trace.name_of(slice));
    row.early_maybe_pageable += unknown ? 1 : 0;
    row.before_call += early == EarlyStart::before_call ? 1 : 0;
    // Only the first work of a graph has a launch delay: later work waits for the work before it.
    if (!of_graphs || trace.link(launch) == slice) {
      const std::int64_t delay = std::max<std::int64_t>(0, trace.start_ns(slice) - trace.end_ns(launch));
      if (delay > longest) {
        longest = delay;
        row.slowest = slice;
      }
      row.long_delays += delay > LaunchRow::kLongDelayNs ? 1 : 0;
      delays.push_back(delay);
    }
    if (calls.empty() || calls.back() != launch) calls.push_back(launch);
  }

  LaunchRow finished(const Trace& trace) {
    row.delay = duration_stats(delays);
    std::ranges::sort(calls);
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    std::vector<std::int64_t> durations(calls.size());
    std::ranges::transform(calls, durations.begin(), [&](SliceId call) { return trace.duration_ns(call); });
    row.calls_beyond_limit = static_cast<std::uint64_t>(
        std::ranges::count_if(durations, [](std::int64_t ns) { return ns > LaunchRow::kLongCallNs; }));
    row.calls = duration_stats(durations);
    return row;
  }
};

constexpr std::string_view kLaunchKeys[] = {"call"};

}  // namespace

EarlyStart early_start(const Trace& trace, SliceId gpu_slice) {
  const SliceId launch = trace.link(gpu_slice);
  if (launch == kNoSlice) return EarlyStart::none;
  const std::int64_t start_ns = trace.start_ns(gpu_slice);
  if (start_ns >= trace.end_ns(launch)) return EarlyStart::none;
  if (start_ns < trace.start_ns(launch)) return EarlyStart::before_call;
  if (trace.kind(gpu_slice) == SliceKind::copy) {
    if (contains(trace.name_of(gpu_slice), "Pageable")) return EarlyStart::pageable_copy;
    const std::string_view call = trace.name_of(launch);
    if (contains(call, "Memcpy") && !contains(call, "Async")) return EarlyStart::waiting_copy;
  }
  return EarlyStart::during_call;
}

msg::Id text_of(EarlyStart early) {
  constexpr std::array<msg::Id, 5> kTexts{
      msg::nothing, msg::copy_of_pageable_memory_the_call, msg::the_call_waits_for_its_copy,
      msg::starts_while_the_call_is_running, msg::starts_before_the_call_the_clocks};
  return kTexts[static_cast<std::size_t>(early)];
}

std::vector<LaunchRow> launch_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop) {
  std::vector<LaunchGroup> groups;
  std::unordered_map<std::uint32_t, std::size_t> by_call;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const SliceId launch = trace.link(slice);
      if (launch == kNoSlice) continue;
      const NameId call = trace.name(launch);
      const auto [found, added] = by_call.try_emplace(index_of(call), groups.size());
      if (added) {
        LaunchGroup& group = groups.emplace_back();
        group.row.call = call;
        group.row.slowest = slice;
        group.of_graphs = launches_graph(trace.name_text(call));
      }
      groups[found->second].add(trace, slice, launch);
    }
  }
  std::vector<LaunchRow> rows;
  rows.reserve(groups.size());
  for (LaunchGroup& group : groups) rows.push_back(group.finished(trace));
  std::ranges::stable_sort(rows, std::ranges::greater(), &LaunchRow::count);
  return rows;
}

std::vector<SliceId> launch_instances(const Trace& trace, const GpuWork& work, NameId call) {
  std::vector<SliceId> instances;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      const SliceId launch = trace.link(slice);
      if (launch != kNoSlice && trace.name(launch) == call) instances.push_back(slice);
    }
  }
  return instances;
}

Table launch_table(const Trace& trace, const std::vector<LaunchRow>& rows, std::size_t all_work) {
  Table table{.name = "launch", .title = msg::launches, .definition = msg::one_row_per_kind_of_call};
  table.texts_of(rows, "call", msg::call, msg::runtime_or_driver_call,
                 [&](const LaunchRow& row) { return std::string(trace.name_text(row.call)); });
  const auto count = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::count, about, get);
  };
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  count("count", msg::pairs, msg::pairs_of_call_and_work, &LaunchRow::count);
  count("calls", msg::calls, msg::calls_with_gpu_work_a_graph,
        [](const LaunchRow& row) { return row.calls.count; });
  time("cpu_total_ns", msg::cpu, msg::summed_durations_of_the_calls_each,
       [](const LaunchRow& row) { return row.calls.total_ns; });
  time("cpu_median_ns", msg::median_call, msg::half_of_the_calls_take_no,
       [](const LaunchRow& row) { return row.calls.median_ns; });
  time("cpu_max_ns", msg::longest_call, msg::the_longest,
       [](const LaunchRow& row) { return row.calls.max_ns; });
  time("gpu_total_ns", msg::gpu, msg::summed_durations_of_the_work, &LaunchRow::gpu_ns);
  time("delay_total_ns", msg::delay, msg::from_the_calls_end_to_the,
       [](const LaunchRow& row) { return row.delay.count > 0 ? row.delay.total_ns : kNoInteger; });
  table.number_column(
      rows, "delay_mean_ns", msg::mean_delay, Unit::ns, msg::delay_divided_by_the_number_of,
      [](const LaunchRow& row) { return row.delay.count > 0 ? row.delay.mean_ns() : kNoNumber; });
  time("delay_median_ns", msg::median_delay, msg::half_of_the_delays_are_no,
       [](const LaunchRow& row) { return row.delay.count > 0 ? row.delay.median_ns : kNoInteger; });
  time("delay_max_ns", msg::longest_delay, msg::the_longest,
       [](const LaunchRow& row) { return row.delay.count > 0 ? row.delay.max_ns : kNoInteger; });
  count("short_work", msg::short_work, msg::work_that_is_shorter_than_its, &LaunchRow::short_work);
  count("long_calls", msg::long_calls, msg::calls_above_50_us, &LaunchRow::calls_beyond_limit);
  count("long_delays", msg::long_delays, msg::delays_above_100_us, &LaunchRow::long_delays);
  count("early", msg::early, msg::work_that_starts_before_its_call, &LaunchRow::early);
  std::uint64_t linked = 0;
  for (const LaunchRow& row : rows) {
    table.links.emplace_back(row.slowest);
    linked += row.count;
  }
  if (all_work > 0) {
    table.notes.emplace_back(msg::of_pieces_of_gpu_work_have, grouped(linked), grouped(all_work));
  }
  if (Message note = early_note(rows); !note.empty()) table.notes.push_back(std::move(note));
  return table;
}

constexpr TableKind<RangeParts> kLaunchTable{
    {.name = "launch",
     .title = msg::launches,
     .heading = msg::from_cpu_to_gpu,
     .about = msg::about_launch,
     .keys = kLaunchKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      const GpuWork& work = parts.work(stop);
      Table table = launch_table(parts.trace(), launch_rows(parts.trace(), work, stop), work.size());
      const LaunchCounts counts = count_launches(parts.trace(), parts.range(), stop);
      for (const Message& note : {lost_note(counts), captured_note(counts)}) {
        if (!note.empty()) table.notes.push_back(note);
      }
      return table;
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const SliceId launch = parts.trace().link(query.example);
      return launch_instances(parts.trace(), parts.work(stop), parts.trace().name(launch));
    }};

}  // namespace kino
