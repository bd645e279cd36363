#include "core/tables/gpu/queue_length.hpp"

#include <algorithm>
#include <unordered_set>

#include "core/base/messages/message.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/range_parts.hpp"

namespace kino {
namespace {

struct Event {
  std::int64_t time_ns;
  std::int8_t change;  // +1 sorts before -1
  SliceId work;
};

/// Determines whether calls of a name launch graphs; cached by name.
class GraphNames {
 public:
  explicit GraphNames(const Trace& trace) : trace_(trace), known_(trace.names.size()) {}

  bool launches(SliceId call) {
    const std::uint32_t name = index_of(trace_.name(call));
    if (known_[name] == 0) known_[name] = launches_graph(trace_.names[name]) ? 2 : 1;
    return known_[name] == 2;
  }

 private:
  const Trace& trace_;
  std::vector<std::uint8_t> known_;  // 0: unknown, 1: no, 2: yes
};

std::vector<Event> events_of(const Trace& trace, const StreamWork& stream) {
  std::vector<Event> launches;
  std::vector<Event> starts;
  GraphNames graphs(trace);
  std::unordered_set<std::uint32_t> graph_launches;
  for (const SliceId slice : stream.slices) {
    const SliceId launch = trace.link(slice);
    if (launch == kNoSlice) continue;
    // A graph launch is one entry of the queue; it leaves the queue when its first work starts.
    if (graphs.launches(launch) && !graph_launches.insert(index_of(launch)).second) continue;
    launches.push_back({trace.start_ns(launch), 1, slice});
    starts.push_back({trace.start_ns(slice), -1, slice});
  }
  const auto before = [](const Event& a, const Event& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.change > b.change;
  };
  // A thread launches work in stream order, so launches are usually sorted already.
  if (!std::ranges::is_sorted(launches, before)) std::ranges::stable_sort(launches, before);
  std::vector<Event> events(launches.size() + starts.size());
  std::ranges::merge(launches, starts, events.begin(), before);
  return events;
}

constexpr std::string_view kQueueKeys[] = {"stream"};

}  // namespace

std::vector<QueuePoint> queue_curve(const Trace& trace, const StreamWork& stream) {
  std::vector<QueuePoint> curve;
  std::int64_t length = 0;
  for (const Event& event : events_of(trace, stream))
    curve.push_back({event.time_ns, length += event.change});
  return curve;
}

std::vector<QueueRow> queue_rows(const Trace& trace, const GpuWork& work, const std::stop_token& stop) {
  std::vector<QueueRow> rows;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    const std::vector<Event> events = events_of(trace, stream);
    if (events.empty()) continue;
    QueueRow row;
    row.track = stream.track;
    row.points = events.size();
    row.cuda = std::ranges::any_of(events, [&](const Event& event) {
      return device_api(trace.name_of(trace.link(event.work))) == DeviceApi::cuda;
    });
    std::int64_t length = 0;
    double sum = 0;
    double sum_over_time = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      length += events[i].change;
      if (i == 0 || length > row.max) {
        row.max = length;
        row.deepest = events[i].work;
      }
      row.min = i == 0 ? length : std::min(row.min, length);
      sum += static_cast<double>(length);
      const std::int64_t lasted = i + 1 < events.size() ? events[i + 1].time_ns - events[i].time_ns : 0;
      sum_over_time += static_cast<double>(length) * static_cast<double>(lasted);
      if (length >= QueueRow::kFullQueue) row.full_ns += lasted;
    }
    const std::int64_t span = events.back().time_ns - events.front().time_ns;
    row.mean = sum / static_cast<double>(events.size());
    row.mean_over_time = span > 0 ? sum_over_time / static_cast<double>(span) : row.mean;
    rows.push_back(row);
  }
  return rows;
}

Table queue_table(const Trace& trace, const std::vector<QueueRow>& rows) {
  Table table{.name = "queue", .title = msg::queue_length, .definition = msg::row_per_stream_queue_length};
  table.text_column(rows, "stream", msg::stream, msg::the_streams_number,
                    [&](const QueueRow& row) { return stream_name(trace, row.track); });
  table.integers_of(rows, "points", msg::points, Unit::count, msg::launches_and_starts, &QueueRow::points);
  table.number_column(rows, "mean", msg::mean, Unit::number, msg::mean_over_the_points, &QueueRow::mean);
  table.number_column(rows, "mean_over_time", msg::mean_over_time, Unit::number,
                      msg::weighted_by_how_long_each_length, &QueueRow::mean_over_time);
  table.integers_of(rows, "min", msg::min, Unit::count, msg::the_shortest, &QueueRow::min);
  table.integers_of(rows, "max", msg::max, Unit::count, msg::the_longest, &QueueRow::max);
  table.integers_of(rows, "full_ns", msg::full, Unit::ns, msg::time_with_full_queue,
                    [](const QueueRow& row) { return row.cuda ? row.full_ns : kNoInteger; });
  for (const QueueRow& row : rows) table.links.emplace_back(row.deepest);
  return table;
}

constexpr TableKind<RangeParts> kQueueTable{
    {.name = "queue",
     .title = msg::queue_length,
     .heading = msg::from_cpu_to_gpu,
     .about = msg::about_queue,
     .keys = kQueueKeys},
    [](const RangeParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return queue_table(parts.trace(), queue_rows(parts.trace(), parts.work(stop), stop));
    }};

}  // namespace kino
