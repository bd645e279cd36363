#include "core/copy_table.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/event_facts.hpp"

namespace kino {
namespace {

/// "Memcpy HtoD (Pageable -> Device)" -> "Memcpy HtoD"; HIP's names have no such part.
std::string direction_of(std::string_view name) {
  constexpr std::size_t kLength = 11;
  if (name.find("emset") != std::string_view::npos) return "Memset";
  return std::string(name.starts_with("Memcpy ") ? name.substr(0, kLength) : name);
}

struct Change {
  std::int64_t time_ns;
  double bandwidth;
};

struct CopyGroup {
  CopyRow row;
  std::vector<std::int64_t> durations;
  std::vector<Change> changes;
  std::int64_t known_ns = 0;  // of copies that tell their bytes
  std::int64_t longest_ns = -1;
};

/// HTA's curve (ANALYSES 2.8): bandwidths of the copies that run, each for at least 1 us.
void sum_curve(CopyGroup& group) {
  std::stable_sort(group.changes.begin(), group.changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  double now = 0;
  double sum = 0;
  for (const Change& change : group.changes) {
    now += change.bandwidth;
    if (now <= 0) continue;
    ++group.row.points;
    sum += now;
    group.row.peak = std::max(group.row.peak, now);
  }
  if (group.row.points > 0) group.row.mean_of_curve = sum / static_cast<double>(group.row.points);
}

void add(CopyGroup& group, SliceId slice, const EventFacts& facts, TimeRange part, std::int64_t start_ns,
         std::int64_t duration_ns) {
  constexpr std::int64_t kLeastNs = 1000;
  CopyRow& row = group.row;
  group.durations.push_back(part.length_ns());
  if (part.length_ns() > group.longest_ns) {
    group.longest_ns = part.length_ns();
    row.longest = slice;
  }
  if (facts.bytes >= 0) {
    row.bytes = std::max<std::int64_t>(0, row.bytes) + facts.bytes;
    group.known_ns += duration_ns;
  }
  if (facts.bandwidth < 0) return;
  row.least = row.least < 0 ? facts.bandwidth : std::min(row.least, facts.bandwidth);
  row.most = std::max(row.most, facts.bandwidth);
  group.changes.push_back({start_ns, facts.bandwidth});
  group.changes.push_back({start_ns + std::max(kLeastNs, duration_ns), -facts.bandwidth});
}

}  // namespace

std::vector<CopyRow> copy_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                               const std::stop_token& stop) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::vector<CopyGroup> groups;
  std::unordered_map<std::string, std::size_t> by_direction;
  std::unordered_map<std::uint32_t, std::size_t> by_name;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    for (const SliceId slice : stream.slices) {
      const auto i = index_of(slice);
      if (trace.slices.kind[i] != SliceKind::copy) continue;
      const auto [place, fresh] = by_name.try_emplace(index_of(trace.slices.name[i]), 0);
      if (fresh) {
        const std::string direction = direction_of(trace.name_of(slice));
        const auto [at, first] = by_direction.try_emplace(direction, groups.size());
        if (first) groups.emplace_back().row.direction = direction;
        place->second = at->second;
      }
      add(groups[place->second], slice, facts[facts_number(trace, slice)],
          clipped(range, trace.slices.start_ns[i], trace.end_ns(slice)), trace.slices.start_ns[i],
          trace.slices.duration_ns[i]);
    }
  }
  std::vector<CopyRow> rows;
  for (CopyGroup& group : groups) {
    sum_curve(group);
    group.row.spread = spread_of(group.durations);
    if (group.known_ns > 0)
      group.row.bandwidth = static_cast<double>(group.row.bytes) / static_cast<double>(group.known_ns);
    rows.push_back(std::move(group.row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CopyRow& a, const CopyRow& b) { return a.spread.total_ns > b.spread.total_ns; });
  return rows;
}

Table copy_table(const std::vector<CopyRow>& rows) {
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  Table table;
  table.name = "copies";
  table.title = "Copies";
  table.definition = "A row a direction of copies, and memsets.";
  table.texts_of(rows, "direction", "Direction", "H is the host, D a device, P a peer",
                 [](const CopyRow& row) { return row.direction; });
  table.integers_of(rows, "count", "Count", Unit::count, "Number of copies",
                    [](const CopyRow& row) { return row.spread.count; });
  table.integers_of(rows, "bytes", "Bytes", Unit::bytes, "Summed",
                    [](const CopyRow& row) { return row.bytes < 0 ? kNoInteger : row.bytes; });
  table.integers_of(rows, "total_ns", "Total", Unit::ns, "Summed durations",
                    [](const CopyRow& row) { return row.spread.total_ns; });
  table.numbers_of(rows, "mean_ns", "Mean", Unit::ns, "Total divided by count",
                   [](const CopyRow& row) { return row.spread.mean_ns(); });
  table.integers_of(rows, "max_ns", "Max", Unit::ns, "The longest",
                    [](const CopyRow& row) { return row.spread.max_ns; });
  const auto bandwidth = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.numbers_of(rows, key, title, Unit::gb_per_s, about,
                     [&](const CopyRow& row) { return absent(get(row)); });
  };
  bandwidth("bandwidth", "Bandwidth", "Bytes divided by the time of the copies",
            [](const CopyRow& row) { return row.bandwidth; });
  bandwidth("bandwidth_min", "Slowest", "Of one copy", [](const CopyRow& row) { return row.least; });
  bandwidth("bandwidth_max", "Fastest", "Of one copy", [](const CopyRow& row) { return row.most; });
  bandwidth("bandwidth_peak", "Peak", "Of all copies of the direction that run at one time",
            [](const CopyRow& row) { return row.peak; });
  for (const CopyRow& row : rows) table.examples.push_back(row.longest);
  return table;
}

}  // namespace kino
