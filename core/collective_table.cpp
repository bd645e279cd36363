#include "core/collective_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/event_facts.hpp"
#include "core/saturating.hpp"

namespace kino {
namespace {

/// Letters alone, in lower case: "_all_gather_base" and "AllGather" are one.
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') out += c;
  }
  return out;
}

/// Times with at least one computing kernel on a GPU, merged, with their measure up to each.
class Computing {
 public:
  Computing(const Trace& trace, const GpuWork& work, std::uint32_t process, TimeRange range) {
    for (const StreamWork& stream : work.streams) {
      if (trace.tracks[index_of(stream.track)].process != process) continue;
      for (const SliceId slice : stream.slices) {
        if (trace.slices.kind[index_of(slice)] != SliceKind::compute) continue;
        times_.push_back(clipped(range, trace.slices.start_ns[index_of(slice)], trace.end_ns(slice)));
      }
    }
    const auto before = [](const TimeRange& a, const TimeRange& b) { return a.begin_ns < b.begin_ns; };
    if (!std::is_sorted(times_.begin(), times_.end(), before))
      std::sort(times_.begin(), times_.end(), before);
    std::size_t kept = 0;
    for (const TimeRange& it : times_) {
      if (kept > 0 && it.begin_ns <= times_[kept - 1].end_ns) {
        times_[kept - 1].end_ns = std::max(times_[kept - 1].end_ns, it.end_ns);
      } else {
        times_[kept++] = it;
      }
    }
    times_.resize(kept);
    before_ns_.reserve(kept + 1);
    before_ns_.push_back(0);
    for (const TimeRange& it : times_) before_ns_.push_back(before_ns_.back() + it.length_ns());
  }

  std::int64_t within(TimeRange range) const { return before(range.end_ns) - before(range.begin_ns); }

 private:
  std::int64_t before(std::int64_t time_ns) const {
    const auto after =
        std::upper_bound(times_.begin(), times_.end(), time_ns,
                         [](std::int64_t time, const TimeRange& it) { return time < it.begin_ns; });
    const auto place = static_cast<std::size_t>(after - times_.begin());
    if (place == 0) return 0;
    const TimeRange& last = times_[place - 1];
    return before_ns_[place - 1] + std::min(time_ns, last.end_ns) - last.begin_ns;
  }

  std::vector<TimeRange> times_;
  std::vector<std::int64_t> before_ns_;
};

/// The facts that tell about the collective: the kernel's, or those of an operator around its launch.
const EventFacts* facts_of(const Trace& trace, const std::vector<EventFacts>& facts, SliceId kernel) {
  const auto tells = [](const EventFacts& it) { return !it.collective.empty() || it.in_elements >= 0; };
  const EventFacts& own = facts[facts_number(trace, kernel)];
  if (tells(own)) return &own;
  for (const SliceId from : {owner_of(trace, kernel), trace.slices.link[index_of(kernel)]}) {
    for (SliceId at = from; at != kNoSlice; at = trace.slices.parent[index_of(at)]) {
      const EventFacts& it = facts[facts_number(trace, at)];
      if (tells(it)) return &it;
    }
  }
  return nullptr;
}

std::int64_t bytes_of(CollectiveKind kind, const EventFacts& facts) {
  const std::int64_t size = element_bytes(facts.dtype);
  if (size == 0) return -1;
  const std::int64_t elements = kind == CollectiveKind::all_gather || kind == CollectiveKind::receive
                                    ? std::max(facts.out_elements, facts.in_elements)
                                    : facts.in_elements;
  return elements < 0 ? -1 : elements * size;
}

/// What the kernels of a row have in common: kind, group, bytes and type.
using CollectiveKey = std::tuple<CollectiveKind, std::string_view, std::int64_t, std::string_view>;

CollectiveKey key_of(const Trace& trace, const std::vector<EventFacts>& facts, SliceId kernel) {
  const EventFacts* own = facts_of(trace, facts, kernel);
  CollectiveKind kind = CollectiveKind::other;
  if (own != nullptr && !own->collective.empty()) kind = collective_kind(own->collective);
  if (kind == CollectiveKind::other) kind = collective_kind(trace.name_of(kernel));
  if (own == nullptr) return {kind, {}, -1, {}};
  return {kind, own->group_description.empty() ? own->group_name : own->group_description,
          bytes_of(kind, *own), own->dtype};
}

struct Group {
  CollectiveRow row;
  std::vector<std::int64_t> durations;
  std::int64_t longest_ns = -1;
  std::int64_t shortest_ns =
      std::numeric_limits<std::int64_t>::max();  // of those that the range does not cut

  /// A lone kernel says nothing of how long it waited, nor do kernels of unknown, different sizes.
  void estimate_waiting() {
    if (row.bytes < 0 || durations.size() < 2 || shortest_ns == std::numeric_limits<std::int64_t>::max())
      return;
    row.transfer_ns = 0;
    for (const std::int64_t duration : durations)
      add_saturating(row.transfer_ns, std::min(duration, shortest_ns));
    row.waiting_ns = row.spread.total_ns - row.transfer_ns;
  }
};

}  // namespace

std::string_view text_of(CollectiveKind kind) {
  constexpr std::array<std::string_view, 12> kTexts{
      "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce",
      "gather",     "scatter",    "send",           "receive",    "barrier",   "other"};
  return kTexts[static_cast<std::size_t>(kind)];
}

CollectiveKind collective_kind(std::string_view name) {
  struct Part {
    std::string_view letters;
    CollectiveKind kind;
  };
  // The longer names first: "reduce" is in three of them.
  constexpr std::array<Part, 15> kParts{{{"allreduce", CollectiveKind::all_reduce},
                                         {"crossdevicereduce", CollectiveKind::all_reduce},
                                         {"reducescatter", CollectiveKind::reduce_scatter},
                                         {"allgather", CollectiveKind::all_gather},
                                         {"alltoall", CollectiveKind::all_to_all},
                                         {"deepep", CollectiveKind::all_to_all},
                                         {"sendrecv", CollectiveKind::all_to_all},
                                         {"broadcast", CollectiveKind::broadcast},
                                         {"barrier", CollectiveKind::barrier},
                                         {"reduce", CollectiveKind::reduce},
                                         {"gather", CollectiveKind::gather},
                                         {"scatter", CollectiveKind::scatter},
                                         {"send", CollectiveKind::send},
                                         {"recv", CollectiveKind::receive},
                                         {"receive", CollectiveKind::receive}}};
  const std::string letters = letters_of(name.substr(0, name.find('(')));
  for (const Part& part : kParts) {
    if (letters.find(part.letters) != std::string::npos) return part.kind;
  }
  return CollectiveKind::other;
}

std::int64_t element_bytes(std::string_view dtype) {
  constexpr std::string_view kPrefix = "c10::";
  if (dtype.starts_with(kPrefix)) dtype.remove_prefix(kPrefix.size());
  const std::string name = letters_of(dtype);
  const auto any = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (dtype.starts_with("Float8") || dtype.starts_with("float8") || any({"byte", "char", "bool"})) return 1;
  if (name == "int") return 4;
  if (any({"bfloat", "half", "short"})) return 2;
  if (name == "float") return dtype.ends_with("16") ? 2 : dtype.ends_with("64") ? 8 : 4;
  if (any({"double", "long", "longint", "complexfloat"})) return 8;
  if (name == "complexdouble") return 16;
  return 0;
}

double bus_factor(CollectiveKind kind, std::int64_t ranks) {
  if (ranks < 1) return 0;
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
      return (n - 1) / n;
    default:
      return 1;
  }
}

std::vector<CollectiveRow> collective_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                           const std::stop_token& stop) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::map<std::uint32_t, Computing> computing;
  std::map<CollectiveKey, Group> groups;
  for (const StreamWork& stream : work.streams) {
    if (stop.stop_requested()) return {};
    const std::uint32_t process = trace.tracks[index_of(stream.track)].process;
    for (const SliceId slice : stream.slices) {
      const auto i = index_of(slice);
      if (trace.slices.kind[i] != SliceKind::communication) continue;
      if (!computing.contains(process)) computing.try_emplace(process, trace, work, process, range);
      const CollectiveKey key = key_of(trace, facts, slice);
      Group& it = groups[key];
      if (it.durations.empty()) {
        std::tie(it.row.kind, it.row.group, it.row.bytes, it.row.dtype) = key;
        const EventFacts* own = facts_of(trace, facts, slice);
        if (own != nullptr) it.row.group_size = own->group_size;
      }
      const TimeRange part = clipped(range, trace.slices.start_ns[i], trace.end_ns(slice));
      it.durations.push_back(part.length_ns());
      if (part.length_ns() == trace.slices.duration_ns[i])
        it.shortest_ns = std::min(it.shortest_ns, part.length_ns());
      add_saturating(it.row.exposed_ns, part.length_ns() - computing.at(process).within(part));
      if (part.length_ns() > it.longest_ns) {
        it.longest_ns = part.length_ns();
        it.row.slowest = slice;
      }
    }
  }
  std::vector<CollectiveRow> rows;
  for (auto& [key, group] : groups) {
    CollectiveRow& row = group.row;
    row.spread = spread_of(group.durations);
    group.estimate_waiting();
    if (row.bytes >= 0 && row.spread.total_ns > 0) {
      row.algorithm_bandwidth = static_cast<double>(row.bytes) / row.spread.mean_ns();
      const double factor = bus_factor(row.kind, row.group_size);
      if (factor > 0) row.bus_bandwidth = row.algorithm_bandwidth * factor;
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) {
    return a.spread.total_ns > b.spread.total_ns;
  });
  return rows;
}

std::vector<SliceId> collective_instances(const Trace& trace, const GpuWork& work, SliceId example) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  const CollectiveKey wanted = key_of(trace, facts, example);
  std::vector<SliceId> instances;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (trace.slices.kind[index_of(slice)] == SliceKind::communication &&
          key_of(trace, facts, slice) == wanted) {
        instances.push_back(slice);
      }
    }
  }
  return instances;
}

Table collective_table(const std::vector<CollectiveRow>& rows) {
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  const auto integer = [](std::int64_t value) { return value < 0 ? kNoInteger : value; };
  Table table;
  table.name = "collectives";
  table.title = "Collectives";
  table.definition =
      "A row for each kind of collective, process group, size and type. Bandwidths as nccl-tests defines "
      "them, from the mean time of the kernels; a kernel that waits for another rank counts with its wait.";
  table.texts_of(rows, "collective", "Collective", "From the metadata, or else from the kernel's name",
                 [](const CollectiveRow& row) { return std::string(text_of(row.kind)); });
  table.texts_of(rows, "group", "Group", "The process group, where the trace tells it",
                 [](const CollectiveRow& row) { return row.group; });
  table.integers_of(rows, "ranks", "Ranks", Unit::count, "Ranks in the group",
                    [&](const CollectiveRow& row) { return integer(row.group_size); });
  table.texts_of(rows, "dtype", "Type", "Of the elements",
                 [](const CollectiveRow& row) { return row.dtype; });
  table.integers_of(rows, "bytes", "Bytes", Unit::bytes,
                    "Of one call: what the largest buffer of a rank holds",
                    [&](const CollectiveRow& row) { return integer(row.bytes); });
  table.integers_of(rows, "count", "Count", Unit::count, "Number of kernels",
                    [](const CollectiveRow& row) { return row.spread.count; });
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  time("total_ns", "Total", "Summed durations", [](const CollectiveRow& row) { return row.spread.total_ns; });
  table.numbers_of(rows, "mean_ns", "Mean", Unit::ns, "Total divided by count",
                   [](const CollectiveRow& row) { return row.spread.mean_ns(); });
  time("min_ns", "Min", "The shortest", [](const CollectiveRow& row) { return row.spread.min_ns; });
  time("max_ns", "Max", "The longest", [](const CollectiveRow& row) { return row.spread.max_ns; });
  time("exposed_ns", "Exposed", "Summed parts during which nothing computes on the GPU",
       [](const CollectiveRow& row) { return row.exposed_ns; });
  table.numbers_of(rows, "hidden_share", "Hidden", Unit::share, "Of the total, under computation",
                   [](const CollectiveRow& row) {
                     return row.spread.total_ns == 0 ? kNoNumber
                                                     : 1 - static_cast<double>(row.exposed_ns) /
                                                               static_cast<double>(row.spread.total_ns);
                   });
  time("transfer_estimate_ns", "Transfer (estimated)",
       "An estimate: the time of the shortest kernel of the row, as if it had waited for no rank, times the "
       "count. One rank alone does not tell; empty where the size is unknown or there is only one kernel",
       [&](const CollectiveRow& row) { return integer(row.transfer_ns); });
  time("waiting_estimate_ns", "Waiting (estimated)",
       "An estimate: what is left of the total after the estimated transfer, so mostly waiting for other "
       "ranks",
       [&](const CollectiveRow& row) { return integer(row.waiting_ns); });
  table.numbers_of(rows, "algorithm_bandwidth", "Algorithm bandwidth", Unit::gb_per_s,
                   "Bytes divided by the mean time",
                   [&](const CollectiveRow& row) { return absent(row.algorithm_bandwidth); });
  table.numbers_of(rows, "bus_bandwidth", "Bus bandwidth", Unit::gb_per_s,
                   "Algorithm bandwidth times the collective's factor: comparable with the link's speed",
                   [&](const CollectiveRow& row) { return absent(row.bus_bandwidth); });
  for (const CollectiveRow& row : rows) table.examples.push_back(row.slowest);
  return table;
}

}  // namespace kino
