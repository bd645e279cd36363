#include "core/tables/gpu/copy_table.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/row_window.hpp"

namespace kino {
namespace {

/// Returns the direction of a copy: "Memcpy HtoD" for "Memcpy HtoD (Pageable -> Device)". Other names remain
/// whole, and the recorded direction, if there is one, is appended: "dma_request DEVICE_TO_HOST".
std::string direction_of(std::string_view name, std::string_view recorded) {
  constexpr std::size_t kLength = 11;
  if (name.find("emset") != std::string_view::npos) return "Memset";
  std::string direction(name.starts_with("Memcpy ") ? name.substr(0, kLength) : name);
  if (!recorded.empty()) direction.append(" ").append(recorded);
  return direction;
}

/// Assigns an index to each direction; cached by slice name.
class Directions {
 public:
  explicit Directions(const Trace& trace) : trace_(trace), facts_(decode_facts(trace)) {}

  std::size_t index_of_direction(SliceId slice) {
    const std::string_view recorded = facts_[facts_index(trace_, slice)].direction;
    const auto [found, added] = by_name_.try_emplace(std::pair(index_of(trace_.name(slice)), recorded), 0);
    if (added) {
      const std::string direction = direction_of(trace_.name_of(slice), recorded);
      const auto [at, first] = by_direction_.try_emplace(direction, names_.size());
      if (first) names_.push_back(direction);
      found->second = at->second;
    }
    return found->second;
  }
  const std::string& name(std::size_t direction) const { return names_[direction]; }

 private:
  const Trace& trace_;
  const std::vector<EventFacts> facts_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> by_direction_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> by_name_;  // key: slice name and recorded
                                                                               // direction
};

struct Change {
  std::int64_t time_ns;
  double bandwidth;
};

/// Adds the start and the end of a copy. As in HTA, each copy counts for at least 1 us.
void add_changes(std::vector<Change>& changes, double bandwidth, std::int64_t start_ns,
                 std::int64_t duration_ns) {
  constexpr std::int64_t kMinNs = 1000;
  changes.push_back({start_ns, bandwidth});
  changes.push_back({start_ns + std::max(kMinNs, duration_ns), -bandwidth});
}

/// Returns the running sum of the changes, in order of time.
std::vector<CurvePoint> summed(std::vector<Change>& changes) {
  std::ranges::stable_sort(changes, {}, &Change::time_ns);
  std::vector<CurvePoint> points;
  points.reserve(changes.size());
  double now = 0;
  for (const Change& change : changes) points.push_back({change.time_ns, now += change.bandwidth});
  return points;
}

struct CopyGroup {
  CopyRow row;
  std::vector<std::int64_t> durations;
  std::vector<Change> changes;   // changes of the recorded bandwidths
  std::vector<Change> measured;  // changes of bytes divided by durations
  std::int64_t timed_bytes = 0;  // bytes of copies with a duration above 0
  std::int64_t known_ns = 0;     // summed time of these copies
  std::int64_t longest_ns = -1;
};

void sum_curve(CopyGroup& group) {
  double sum = 0;
  for (const CurvePoint& point : summed(group.changes)) {
    if (point.value <= 0) continue;
    ++group.row.points;
    sum += point.value;
    group.row.peak = std::max(group.row.peak, point.value);
  }
  if (group.row.points > 0) group.row.mean_bandwidth = sum / static_cast<double>(group.row.points);
  // At equal times, ends precede starts.
  std::ranges::sort(group.measured, [](const Change& a, const Change& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.bandwidth < b.bandwidth;
  });
  for (const CurvePoint& point : summed(group.measured))
    group.row.max_concurrent = std::max(group.row.max_concurrent, point.value);
}

void add(CopyGroup& group, SliceId slice, const EventFacts& facts, TimeRange part, std::int64_t start_ns,
         std::int64_t duration_ns) {
  CopyRow& row = group.row;
  group.durations.push_back(part.length_ns());
  if (part.length_ns() > group.longest_ns) {
    group.longest_ns = part.length_ns();
    row.longest = slice;
  }
  if (facts.bytes >= 0) {
    ++row.sized;
    row.bytes = saturating_add(std::max<std::int64_t>(0, row.bytes), facts.bytes);
  }
  if (facts.bytes >= 0 && duration_ns > 0) {
    add_saturating(group.timed_bytes, facts.bytes);
    add_saturating(group.known_ns, duration_ns);
    const double bandwidth = static_cast<double>(facts.bytes) / static_cast<double>(duration_ns);
    row.least = row.least < 0 ? bandwidth : std::min(row.least, bandwidth);
    row.most = std::max(row.most, bandwidth);
    group.measured.push_back({start_ns, bandwidth});
    group.measured.push_back({saturating_add(start_ns, duration_ns), -bandwidth});
  }
  if (facts.bandwidth >= 0) add_changes(group.changes, facts.bandwidth, start_ns, duration_ns);
}

constexpr std::string_view kCopyKeys[] = {"direction"};

}  // namespace

std::vector<CopyRow> copy_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                               const std::stop_token& stop) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::vector<CopyGroup> groups;
  Directions directions(trace);
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const auto i = index_of(slice);
      if (trace.slices.kind[i] != SliceKind::copy) continue;
      const std::size_t direction = directions.index_of_direction(slice);
      if (direction == groups.size()) groups.emplace_back().row.direction = directions.name(direction);
      add(groups[direction], slice, facts[facts_index(trace, slice)],
          clipped(range, trace.slices.start_ns[i], trace.end_ns(slice)), trace.slices.start_ns[i],
          trace.slices.duration_ns[i]);
    }
  }
  std::vector<CopyRow> rows;
  for (CopyGroup& group : groups) {
    sum_curve(group);
    group.row.spread = duration_stats(group.durations);
    if (group.known_ns > 0)
      group.row.bandwidth = static_cast<double>(group.timed_bytes) / static_cast<double>(group.known_ns);
    rows.push_back(std::move(group.row));
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const CopyRow& row) { return row.spread.total_ns; });
  return rows;
}

std::vector<SliceId> copy_instances(const Trace& trace, const GpuWork& work, SliceId example) {
  Directions directions(trace);
  const std::size_t wanted = directions.index_of_direction(example);
  std::vector<SliceId> instances;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (trace.kind(slice) == SliceKind::copy && directions.index_of_direction(slice) == wanted)
        instances.push_back(slice);
    }
  }
  return instances;
}

std::vector<CopyCurve> copy_curves(const Trace& trace, const GpuWork& work, const std::stop_token& stop) {
  constexpr double kMin = 1e-9;  // smaller values are rounding errors after the last copy
  const std::vector<EventFacts> facts = decode_facts(trace);
  Directions directions(trace);
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Change>> changes;  // by process and direction
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const auto i = index_of(slice);
      if (trace.slices.kind[i] != SliceKind::copy) continue;
      const double bandwidth = facts[facts_index(trace, slice)].bandwidth;
      if (bandwidth < 0) continue;
      add_changes(changes[{trace.track(stream.track).process, directions.index_of_direction(slice)}],
                  bandwidth, trace.slices.start_ns[i], trace.slices.duration_ns[i]);
    }
  }
  std::vector<CopyCurve> curves;
  for (auto& [key, list] : changes) {
    CopyCurve& curve = curves.emplace_back();
    curve.process = key.first;
    curve.direction = directions.name(key.second);
    for (const CurvePoint& point : summed(list)) {
      curve.points.push_back({point.time_ns, point.value < kMin ? 0 : point.value});
    }
  }
  return curves;
}

Table copy_table(const std::vector<CopyRow>& rows) {
  Table table{.name = "copies", .title = msg::copies, .definition = msg::row_per_copy_direction};
  table.texts_of(rows, "direction", msg::direction, msg::h_is_the_host_d_a, &CopyRow::direction);
  table.integers_of(rows, "count", msg::count, Unit::count, msg::number_of_copies,
                    [](const CopyRow& row) { return row.spread.count; });
  table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::summed,
                    [](const CopyRow& row) { return known_or_none(row.bytes); });
  const SpreadColumns columns{table, rows, &CopyRow::spread};
  columns.time("total_ns", msg::total, msg::summed_durations, &DurationStats::total_ns);
  columns.mean(msg::total_divided_by_count);
  columns.time("max_ns", msg::max, msg::the_longest, &DurationStats::max_ns);
  const auto bandwidth = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.number_column(rows, key, title, Unit::gb_per_s, about,
                        [&](const CopyRow& row) { return known_or_none(std::invoke(get, row)); });
  };
  bandwidth("bandwidth", msg::bandwidth, msg::bytes_divided_by_the_time_of, &CopyRow::bandwidth);
  bandwidth("bandwidth_min", msg::slowest, msg::for_a_single_copy, &CopyRow::least);
  bandwidth("bandwidth_max", msg::fastest, msg::for_a_single_copy, &CopyRow::most);
  bandwidth("bandwidth_peak", msg::peak, msg::for_all_copies_of_the_direction, &CopyRow::max_concurrent);
  for (const CopyRow& row : rows) {
    table.links.emplace_back(row.longest);
    if (row.sized == 0 || row.sized == row.spread.count) continue;
    table.notes.emplace_back(msg::bytes_and_bandwidth_cover, row.direction, grouped(row.sized),
                             grouped(row.spread.count));
  }
  return table;
}

constexpr TableKind<RangeParts> kCopyTable{
    {.name = "copies",
     .title = msg::copies,
     .heading = msg::memory,
     .about = msg::about_copies,
     .keys = kCopyKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      const Trace& trace = parts.trace();
      const TimeRange range = parts.gpu_range(stop);
      Table table = copy_table(copy_rows(trace, parts.work(stop), range, stop));
      std::vector<DoubtfulWork> doubtful = doubtful_work(trace, stop);
      std::erase_if(doubtful, [&](const DoubtfulWork& work) {
        return trace.kind(work.slice) != SliceKind::copy ||
               !in_range(range, trace.start_ns(work.slice), trace.duration_ns(work.slice));
      });
      if (const Message note = doubtful_note(trace, doubtful); !note.empty()) table.notes.push_back(note);
      return table;
    },
    [](const RangeParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return copy_instances(parts.trace(), parts.work(stop), query.example);
    }};

}  // namespace kino
