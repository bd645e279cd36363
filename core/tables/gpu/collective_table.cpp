#include "core/tables/gpu/collective_table.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/tables/gpu/cpu_collectives.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Merged intervals in which a compute kernel runs on a GPU, with prefix sums.
class Computing {
 public:
  Computing(const Trace& trace, const GpuWork& work, std::uint32_t process, TimeRange range) {
    for (const StreamWork& stream : work.streams) {
      if (trace.track(stream.track).process != process) continue;
      for (const SliceId slice : stream.slices) {
        if (trace.kind(slice) != SliceKind::compute) continue;
        times_.push_back(clipped(range, trace.start_ns(slice), trace.end_ns(slice)));
      }
    }
    if (!std::ranges::is_sorted(times_, {}, &TimeRange::begin_ns))
      std::ranges::sort(times_, {}, &TimeRange::begin_ns);
    std::size_t merged = 0;
    for (const TimeRange& time : times_) {
      if (merged > 0 && time.begin_ns <= times_[merged - 1].end_ns) {
        times_[merged - 1].end_ns = std::max(times_[merged - 1].end_ns, time.end_ns);
      } else {
        times_[merged++] = time;
      }
    }
    times_.resize(merged);
    before_ns_.reserve(merged + 1);
    before_ns_.push_back(0);
    for (const TimeRange& time : times_) before_ns_.push_back(before_ns_.back() + time.length_ns());
  }

  std::int64_t within(TimeRange range) const { return before(range.end_ns) - before(range.begin_ns); }

 private:
  std::int64_t before(std::int64_t time_ns) const {
    const auto after = std::ranges::upper_bound(times_, time_ns, {}, &TimeRange::begin_ns);
    const auto index = static_cast<std::size_t>(after - times_.begin());
    if (index == 0) return 0;
    const TimeRange& last = times_[index - 1];
    return before_ns_[index - 1] + std::min(time_ns, last.end_ns) - last.begin_ns;
  }

  std::vector<TimeRange> times_;
  std::vector<std::int64_t> before_ns_;
};

/// Key of a row: kind, group, bytes, type, elements if the bytes are unknown, and the kernel if only its name
/// is known.
using CollectiveKey = std::tuple<CollectiveKind, std::string_view, std::int64_t, std::string_view,
                                 std::int64_t, std::string_view>;

/// Computes the keys of kernels. Keys contain views into the trace and into this object.
class Keys {
 public:
  explicit Keys(const Trace& trace) : trace_(trace), facts_(decode_facts(trace)) {}

  CollectiveFacts facts_of(SliceId kernel) const { return collective_facts(trace_, facts_, kernel); }
  CollectiveKey of(SliceId kernel, const CollectiveFacts& facts) {
    const std::int64_t bytes = facts.bytes();
    return {facts.kind,
            facts.group,
            bytes,
            facts.dtype,
            bytes < 0 ? facts.in_elements : -1,
            facts.told ? std::string_view() : kernel_name(kernel)};
  }
  CollectiveKey of(SliceId kernel) { return of(kernel, facts_of(kernel)); }

 private:
  std::string_view kernel_name(SliceId kernel) {
    const auto [found, added] = short_names_.try_emplace(index_of(trace_.name(kernel)));
    if (added) found->second = short_name(trace_.name_of(kernel));
    return found->second;
  }

  const Trace& trace_;
  std::vector<EventFacts> facts_;
  std::unordered_map<std::uint32_t, std::string> short_names_;  // by NameId
};

struct Group {
  CollectiveRow row;
  std::vector<std::int64_t> durations;
  std::int64_t longest_ns = -1;
  /// Duration of the shortest kernel that is entirely within the range.
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();

  /// Sets the estimated transfer and waiting time. There is no estimate if the size is unknown, if there is
  /// only one kernel, or if no kernel is entirely within the range.
  void estimate_waiting() {
    if (row.bytes < 0 || durations.size() < 2 || shortest_ns == std::numeric_limits<std::int64_t>::max())
      return;
    row.transfer_ns = 0;
    for (const std::int64_t duration : durations)
      add_saturating(row.transfer_ns, std::min(duration, shortest_ns));
    row.waiting_ns = row.spread.total_ns - row.transfer_ns;
  }
};

using Groups = std::map<CollectiveKey, Group>;

/// Adds a collective to the row of its key. `exposed_ns` is -1 if unknown.
void add_to(Groups& groups, const Trace& trace, const CollectiveKey& key, const CollectiveFacts& facts,
            SliceId slice, TimeRange range, std::int64_t exposed_ns) {
  Group& group = groups[key];
  if (group.durations.empty()) {
    std::tie(group.row.kind, group.row.group, group.row.bytes, group.row.dtype, std::ignore,
             group.row.kernel) = key;
    group.row.group_size = facts.group_size;
  }
  const std::int64_t part_ns = clipped(range, trace.start_ns(slice), trace.end_ns(slice)).length_ns();
  group.durations.push_back(part_ns);
  if (part_ns == trace.duration_ns(slice)) group.shortest_ns = std::min(group.shortest_ns, part_ns);
  if (exposed_ns < 0) {
    group.row.exposed_ns = -1;
  } else {
    add_saturating(group.row.exposed_ns, exposed_ns);
  }
  if (part_ns <= group.longest_ns) return;
  group.longest_ns = part_ns;
  group.row.slowest = slice;
}

void sort_by_time(std::vector<CollectiveRow>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const CollectiveRow& row) { return row.spread.total_ns; });
}

/// Moves the rows out of `groups`.
std::vector<CollectiveRow> rows_of_groups(Groups& groups) {
  std::vector<CollectiveRow> rows;
  rows.reserve(groups.size());
  for (auto& [key, group] : groups) {
    CollectiveRow& row = group.row;
    row.spread = duration_stats(group.durations);
    group.estimate_waiting();
    if (row.bytes >= 0 && row.spread.total_ns > 0) {
      row.algorithm_bandwidth = static_cast<double>(row.bytes) / row.spread.mean_ns();
      const double factor = bus_factor(row.kind, row.group_size);
      if (factor > 0) row.bus_bandwidth = row.algorithm_bandwidth * factor;
    }
    rows.push_back(std::move(row));
  }
  sort_by_time(rows);
  return rows;
}

/// Returns the key of a collective on a CPU thread. It contains the annotation's name, so it differs from the
/// keys of kernels.
CollectiveKey key_on_cpu(const Trace& trace, Keys& keys, SliceId slice, const CollectiveFacts& facts) {
  CollectiveKey key = keys.of(slice, facts);
  std::get<5>(key) = trace.name_of(slice);
  return key;
}

void add_collective_times(Table& table, const std::vector<CollectiveRow>& rows) {
  const SpreadColumns columns{table, rows, &CollectiveRow::spread};
  columns.time("total_ns", msg::total, msg::summed_durations, &DurationStats::total_ns);
  columns.mean(msg::total_divided_by_count);
  columns.time("min_ns", msg::min, msg::the_shortest, &DurationStats::min_ns);
  columns.time("max_ns", msg::max, msg::the_longest, &DurationStats::max_ns);
  const auto time = [&](const char* key, msg::Id title, msg::Id about, std::int64_t CollectiveRow::*value) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const CollectiveRow& row) { return known_or_none(row.*value); });
  };
  time("exposed_ns", msg::exposed, msg::summed_parts_during_which_nothing_computes,
       &CollectiveRow::exposed_ns);
  table.number_column(rows, "hidden_share", msg::hidden, Unit::share, msg::share_that_overlaps_compute,
                      [](const CollectiveRow& row) {
                        return row.spread.total_ns == 0 || row.exposed_ns < 0
                                   ? kNoNumber
                                   : 1 - static_cast<double>(row.exposed_ns) /
                                             static_cast<double>(row.spread.total_ns);
                      });
  time("transfer_estimate_ns", msg::transfer_at_most, msg::transfer_upper_bound, &CollectiveRow::transfer_ns);
  time("waiting_estimate_ns", msg::waiting_at_least, msg::wait_lower_bound, &CollectiveRow::waiting_ns);
}

constexpr std::string_view kCollectiveKeys[] = {"collective", "kernel", "group", "ranks", "dtype", "bytes"};

}  // namespace

double bus_factor(CollectiveKind kind, std::int64_t ranks) {
  if (ranks < 1) return 0;
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

std::vector<ExposedKernel> exposed_kernels(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop) {
  std::map<std::uint32_t, Computing> computing;
  std::vector<ExposedKernel> exposed;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    const std::uint32_t process = trace.track(stream.track).process;
    for (const SliceId slice : stream.slices) {
      const auto i = index_of(slice);
      if (trace.slices.kind[i] != SliceKind::communication) continue;
      if (!computing.contains(process)) computing.try_emplace(process, trace, work, process, range);
      const TimeRange part = clipped(range, trace.slices.start_ns[i], trace.end_ns(slice));
      exposed.push_back({slice, part.length_ns() - computing.at(process).within(part)});
    }
  }
  return exposed;
}

std::vector<CollectiveRow> collective_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop) {
  Keys keys(trace);
  Groups groups;
  for (const auto& [slice, exposed_ns] : exposed_kernels(trace, work, range, stop)) {
    const CollectiveFacts facts = keys.facts_of(slice);
    add_to(groups, trace, keys.of(slice, facts), facts, slice, range, exposed_ns);
  }
  return rows_of_groups(groups);
}

std::vector<CollectiveRow> cpu_collective_rows(const Trace& trace, TimeRange range,
                                               const std::stop_token& stop) {
  const std::vector<SliceId> slices = cpu_collectives(trace, stop);
  if (slices.empty()) return {};
  Keys keys(trace);
  Groups groups;
  for (const SliceId slice : slices) {
    const auto i = index_of(slice);
    if (!in_range(range, trace.slices.start_ns[i], trace.slices.duration_ns[i])) continue;
    const CollectiveFacts facts = keys.facts_of(slice);
    add_to(groups, trace, key_on_cpu(trace, keys, slice, facts), facts, slice, range, -1);
  }
  return rows_of_groups(groups);
}

std::vector<SliceId> collective_instances(const Trace& trace, const GpuWork& work, TimeRange range,
                                          SliceId example) {
  Keys keys(trace);
  std::vector<SliceId> instances;
  if (!is_gpu_work(trace.kind(example))) {
    const CollectiveKey wanted = key_on_cpu(trace, keys, example, keys.facts_of(example));
    for (const SliceId slice : cpu_collectives(trace)) {
      if (!in_range(range, trace.start_ns(slice), trace.duration_ns(slice))) continue;
      if (key_on_cpu(trace, keys, slice, keys.facts_of(slice)) == wanted) instances.push_back(slice);
    }
    return instances;
  }
  const CollectiveKey wanted = keys.of(example);
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (trace.kind(slice) == SliceKind::communication && keys.of(slice) == wanted) {
        instances.push_back(slice);
      }
    }
  }
  return instances;
}

Table collective_table(const std::vector<CollectiveRow>& rows) {
  Table table{.name = "collectives", .title = msg::collectives, .definition = msg::row_per_collective_kind};
  table.texts_of(rows, "collective", msg::collective, msg::from_the_metadata_or_else_from,
                 [](const CollectiveRow& row) { return std::string(text_of(row.kind)); });
  table.texts_of(rows, "kernel", msg::kernel, msg::kernel_if_content_unknown, &CollectiveRow::kernel);
  table.texts_of(rows, "group", msg::group, msg::the_process_group_where_the_trace, &CollectiveRow::group);
  table.integers_of(rows, "ranks", msg::ranks, Unit::count, msg::ranks_in_the_group,
                    [&](const CollectiveRow& row) { return known_or_none(row.group_size); });
  table.texts_of(rows, "dtype", msg::type, msg::element_type, [](const CollectiveRow& row) {
    return row.dtype == kOnlyBytes ? std::string() : row.dtype;
  });
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::largest_buffer_of_one_call,
                    [&](const CollectiveRow& row) { return known_or_none(row.bytes); });
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_kernels,
                    [](const CollectiveRow& row) { return row.spread.count; });
  add_collective_times(table, rows);
  table.number_column(rows, "algorithm_bandwidth", msg::algorithm_bandwidth, Unit::gb_per_s,
                      msg::bytes_divided_by_the_mean_time,
                      [&](const CollectiveRow& row) { return known_or_none(row.algorithm_bandwidth); });
  table.number_column(rows, "bus_bandwidth", msg::bus_bandwidth, Unit::gb_per_s,
                      msg::algorithm_bandwidth_times_the_collectives,
                      [&](const CollectiveRow& row) { return known_or_none(row.bus_bandwidth); });
  for (const CollectiveRow& row : rows) table.links.emplace_back(row.slowest);
  return table;
}

constexpr TableKind<RangeParts> kCollectiveTable{
    {.name = "collectives",
     .title = msg::collectives,
     .heading = msg::communication,
     .about = msg::about_collectives,
     .keys = kCollectiveKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      std::vector<CollectiveRow> rows =
          collective_rows(parts.trace(), parts.work(stop), parts.gpu_range(stop), stop);
      for (CollectiveRow& row : cpu_collective_rows(parts.trace(), parts.range(), stop))
        rows.push_back(std::move(row));
      sort_by_time(rows);
      return collective_table(rows);
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return collective_instances(parts.trace(), parts.work(stop), parts.range(), query.example);
    }};

}  // namespace kino
