#include "core/gpu/kernel_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/gpu/collective_facts.hpp"
#include "core/gpu/gpu_parts.hpp"
#include "core/relations/range_parts.hpp"
#include "core/relations/slice_relations.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

struct Piece {
  SliceId slice;
  std::int64_t duration_ns;  // clipped
};

/// Numbers of what is fixed of a kernel or copy before it runs: how it is launched, how much it moves,
/// between whom. Not what is measured: a bandwidth is a duration by another name.
class Configurations {
 public:
  explicit Configurations(const Trace& trace)
      : trace_(trace), facts_(decode_facts(trace)), by_facts_(facts_.size(), kNone) {}

  std::uint32_t of(SliceId slice) {
    const std::uint32_t facts = facts_number(trace_, slice);
    if (trace_.slices.kind[index_of(slice)] == SliceKind::communication) {
      // A ring kernel runs with one grid whatever it sends; what that is often stands at its launch only.
      const CollectiveFacts sent = collective_facts(trace_, facts_, slice);
      return number({launched_as(facts_[facts]), static_cast<std::int64_t>(sent.kind),
                     std::string(sent.group), sent.group_size, sent.in_elements, sent.out_elements,
                     std::string(sent.dtype)});
    }
    if (by_facts_[facts] == kNone)
      by_facts_[facts] = number({launched_as(facts_[facts]), -1, "", -1, -1, -1, ""});
    return by_facts_[facts];
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  using Numbers = std::array<std::int64_t, 11>;
  using Key =
      std::tuple<Numbers, std::int64_t, std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

  static Numbers launched_as(const EventFacts& it) {
    return {it.grid[0],   it.grid[1],       it.grid[2], it.block[0], it.block[1], it.block[2],
            it.registers, it.shared_memory, it.bytes,   it.source,   it.target};
  }
  std::uint32_t number(Key key) {
    return numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  const Trace& trace_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> by_facts_;
  std::map<Key, std::uint32_t> numbers_;
};

/// Numbers of groups, given out in order of first appearance.
class Groups {
 public:
  Groups(const Trace& trace, KernelGrouping grouping) : trace_(trace), grouping_(grouping) {
    const std::uint32_t graph = trace.categories.find("cuda_graph");
    graph_ = CategoryId{static_cast<std::uint16_t>(std::min<std::uint32_t>(graph, 0xffff))};
    if (grouping == KernelGrouping::name) by_name_.assign(trace.names.size() * 2, kNone);
    if (grouping == KernelGrouping::shape) configurations_.emplace(trace);
  }

  /// A whole graph is no kernel: those in it were not recorded.
  bool takes(SliceId slice) const { return trace_.slices.category[index_of(slice)] != graph_; }

  std::uint32_t of(SliceId slice) {
    const std::uint32_t name = index_of(trace_.slices.name[index_of(slice)]);
    if (grouping_ == KernelGrouping::name) return number(by_name_[2 * name + (is_copy(slice) ? 1 : 0)]);
    std::uint64_t second = 0;
    if (grouping_ == KernelGrouping::shape)
      second = std::uint64_t{configurations_->of(slice)} << 1 | (is_copy(slice) ? 1 : 0);
    if (grouping_ == KernelGrouping::op) second = index_of(operator_name(trace_, slice)) + 1ULL;
    if (grouping_ == KernelGrouping::short_name) return of_short_name(name, slice);
    return number(by_pair_.try_emplace(std::uint64_t{name} << 32 | second, kNone).first->second);
  }
  std::uint32_t size() const { return count_; }

  /// The empty name when unknown.
  static NameId operator_name(const Trace& trace, SliceId slice) {
    const SliceId owner = owner_of(trace, slice);
    return owner == kNoSlice ? NameId{0} : trace.slices.name[index_of(owner)];
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  bool is_copy(SliceId slice) const { return trace_.slices.kind[index_of(slice)] == SliceKind::copy; }
  std::uint32_t number(std::uint32_t& slot) {
    if (slot == kNone) slot = count_++;
    return slot;
  }
  std::uint32_t of_short_name(std::uint32_t name, SliceId slice) {
    std::uint32_t& slot =
        by_pair_.try_emplace(std::uint64_t{name} << 1 | (is_copy(slice) ? 1 : 0), kNone).first->second;
    if (slot != kNone) return slot;
    slot = number(by_text_.try_emplace(short_name(trace_.names[name]), kNone).first->second);
    return slot;
  }

  const Trace& trace_;
  KernelGrouping grouping_;
  std::optional<Configurations> configurations_;
  std::vector<std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::uint32_t count_ = 0;
  CategoryId graph_{};
};

/// Weighted mean of what only some instances tell.
struct WeightedMean {
  double sum = 0;
  double weight = 0;
  void add(double value, std::int64_t duration_ns) {
    if (value < 0) return;
    sum += value * static_cast<double>(duration_ns);
    weight += static_cast<double>(duration_ns);
  }
  double mean() const { return weight > 0 ? sum / weight : -1; }
};

/// The group's instances stand together; `first` has one more element than there are groups.
struct Buckets {
  std::vector<Piece> pieces;
  std::vector<std::size_t> first;
};

Buckets bucketed(const Trace& trace, const GpuWork& work, TimeRange range, KernelGrouping grouping,
                 const std::stop_token& stop) {
  Groups groups(trace, grouping);
  std::vector<std::uint32_t> group_of;
  group_of.reserve(work.size());
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (group_of.size() % kCancelStride == 0 && stop.stop_requested()) return {};
      if (groups.takes(slice)) group_of.push_back(groups.of(slice));
    }
  }
  Buckets out;
  out.first.assign(groups.size() + 1, 0);
  for (const std::uint32_t group : group_of) ++out.first[group + 1];
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  out.pieces.resize(group_of.size());
  std::vector<std::size_t> next = out.first;
  std::size_t at = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (!groups.takes(slice)) continue;
      const TimeRange part = clipped(range, trace.slices.start_ns[index_of(slice)], trace.end_ns(slice));
      out.pieces[next[group_of[at++]]++] = {slice, part.length_ns()};
    }
  }
  return out;
}

/// The operator that launched most of the time.
class MostTime {
 public:
  void add(NameId name, std::int64_t duration_ns) {
    if (name == last_) {
      add_saturating(pending_, duration_ns);
      return;
    }
    flush();
    last_ = name;
    pending_ = duration_ns;
  }
  NameId best() {
    flush();
    NameId best{0};
    std::int64_t most = -1;
    for (const auto& [name, ns] : sums_) {
      if (ns > most || (ns == most && name < index_of(best))) {
        most = ns;
        best = NameId{name};
      }
    }
    return best;
  }

 private:
  void flush() {
    if (pending_ >= 0) add_saturating(sums_[index_of(last_)], pending_);
    pending_ = -1;
  }
  std::unordered_map<std::uint32_t, std::int64_t> sums_;
  NameId last_{0};
  std::int64_t pending_ = -1;
};

std::string text_or_unknown(const Trace& trace, NameId name) {
  return std::string(trace.names[index_of(name)]);
}

std::int64_t moved_bytes(const Trace& trace, const std::vector<EventFacts>& facts, const KernelRow& row) {
  if (row.kind == SliceKind::communication) return collective_facts(trace, facts, row.longest).bytes();
  return facts[row.facts].bytes;
}

std::string peers_text(const Trace& trace, const std::vector<EventFacts>& facts, const KernelRow& row) {
  const EventFacts& own = facts[row.facts];
  if (own.source >= 0 || own.target >= 0) {
    const auto text = [](std::int64_t it) { return it < 0 ? std::string("?") : std::to_string(it); };
    return text(own.source) + " -> " + text(own.target);
  }
  if (row.kind != SliceKind::communication) return {};
  return std::string(collective_facts(trace, facts, row.longest).group);
}

/// One group, which is not empty.
KernelRow row_of_pieces(const Trace& trace, const std::vector<EventFacts>& facts, GpuVendor vendor,
                        std::span<const Piece> pieces) {
  KernelRow row;
  std::vector<std::int64_t> durations;
  durations.reserve(pieces.size());
  WeightedMean blocks;
  WeightedMean occupancy;
  MostTime ops;
  std::int64_t longest = -1;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const Piece& piece : pieces) {
    durations.push_back(piece.duration_ns);
    const EventFacts& own = facts[facts_number(trace, piece.slice)];
    blocks.add(own.blocks_per_sm, piece.duration_ns);
    occupancy.add(own.occupancy, piece.duration_ns);
    ops.add(Groups::operator_name(trace, piece.slice), piece.duration_ns);
    if (piece.duration_ns > longest) {
      longest = piece.duration_ns;
      row.longest = piece.slice;
    }
    if (piece.duration_ns < shortest) {
      shortest = piece.duration_ns;
      row.shortest = piece.slice;
    }
  }
  const SliceId first = pieces.front().slice;
  row.name = trace.slices.name[index_of(first)];
  row.kind = trace.slices.kind[index_of(first)];
  row.spread = spread_of(durations);
  row.facts = facts_number(trace, row.longest);
  row.op = ops.best();
  row.blocks_per_sm = blocks.mean();
  row.occupancy = occupancy.mean();
  if (row.kind == SliceKind::compute)
    row.tensor_cores = tensor_cores_of(trace.names[index_of(row.name)], vendor);
  return row;
}

}  // namespace

std::vector<KernelRow> kernel_rows(const Trace& trace, const GpuWork& work, TimeRange range,
                                   KernelGrouping grouping, const std::stop_token& stop) {
  const Buckets buckets = bucketed(trace, work, range, grouping, stop);
  if (buckets.first.empty()) return {};
  const std::vector<EventFacts> facts = decode_facts(trace);
  const GpuVendor vendor = gpu_vendor(trace);
  std::vector<KernelRow> rows(buckets.first.size() - 1);
  const unsigned threads = buckets.pieces.size() > kCancelStride ? thread_count_or_default(0) : 1;
  parallel_for(threads, rows.size(), stop, [&](std::size_t group, unsigned) {
    const std::size_t first = buckets.first[group];
    rows[group] = row_of_pieces(trace, facts, vendor,
                                std::span(buckets.pieces).subspan(first, buckets.first[group + 1] - first));
  });
  if (stop.stop_requested()) return {};
  std::stable_sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return a.spread.total_ns > b.spread.total_ns;
  });
  return rows;
}

std::vector<SliceId> kernel_instances(const Trace& trace, const GpuWork& work, KernelGrouping grouping,
                                      SliceId example, const std::stop_token& stop) {
  Groups groups(trace, grouping);
  const std::uint32_t wanted = groups.of(example);
  std::vector<SliceId> instances;
  std::size_t seen = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (seen++ % kCancelStride == 0 && stop.stop_requested()) return {};
      if (groups.of(slice) == wanted) instances.push_back(slice);
    }
  }
  return instances;
}

std::vector<KernelOutlier> kernel_outliers(const Trace& trace, const GpuWork& work,
                                           const std::stop_token& stop) {
  const Buckets buckets = bucketed(trace, work, whole_range(trace), KernelGrouping::shape, stop);
  std::vector<KernelOutlier> outliers;
  std::vector<std::int64_t> durations;
  for (std::size_t group = 0; group + 1 < buckets.first.size(); ++group) {
    const std::size_t first = buckets.first[group];
    const std::size_t last = buckets.first[group + 1];
    if (last - first < kLeastForOutliers) continue;
    durations.clear();
    for (std::size_t i = first; i < last; ++i) durations.push_back(buckets.pieces[i].duration_ns);
    const std::int64_t median = spread_of(durations).median_ns;
    if (median <= 0) continue;
    for (std::size_t i = first; i < last; ++i) {
      const double ratio = static_cast<double>(buckets.pieces[i].duration_ns) / static_cast<double>(median);
      if (ratio > kOutlierRatio)
        outliers.push_back({buckets.pieces[i].slice, buckets.pieces[i].duration_ns, median, ratio});
    }
  }
  std::stable_sort(outliers.begin(), outliers.end(),
                   [](const KernelOutlier& a, const KernelOutlier& b) { return a.ratio > b.ratio; });
  return outliers;
}

std::string text_of_triple(const std::array<std::int64_t, 3>& triple) {
  if (triple[0] < 0) return "";
  return "[" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) + ", " +
         std::to_string(triple[2]) + "]";
}

Table kernel_table(const Trace& trace, const std::vector<KernelRow>& rows, KernelGrouping grouping) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::int64_t all_ns = 0;
  std::int64_t known_ns = 0;
  for (const KernelRow& row : rows) {
    add_saturating(all_ns, row.spread.total_ns);
    if (index_of(row.op) != 0) add_saturating(known_ns, row.spread.total_ns);
  }
  Table table;
  table.name = "kernels";
  table.title = "Kernels";
  table.definition =
      grouping == KernelGrouping::shape
          ? "All GPU work: kernels, copies and memsets, grouped by what is fixed before it runs: name, kind, "
            "grid, block, registers, shared memory, bytes and peers. Durations are clipped to the range."
          : "All GPU work: kernels, copies and memsets, grouped by name and kind. Durations are clipped to "
            "the "
            "range.";
  table.texts_of(rows, "name", "Name", "The full name; copies by their direction", [&](const KernelRow& row) {
    const std::string_view name = trace.names[index_of(row.name)];
    return grouping == KernelGrouping::short_name ? short_name(name) : std::string(name);
  });
  table.texts_of(rows, "kind", "Kind", "computation, communication or memory", [](const KernelRow& row) {
    return row.kind == SliceKind::compute         ? "computation"
           : row.kind == SliceKind::communication ? "communication"
                                                  : "memory";
  });
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about,
                      [&](const KernelRow& row) { return get(row.spread); });
  };
  table.integers_of(rows, "calls", "Calls", Unit::count, "How often it ran",
                    [](const KernelRow& row) { return row.spread.count; });
  time("total_ns", "Total", "Summed durations", [](const DurationSpread& it) { return it.total_ns; });
  table.numbers_of(rows, "mean_ns", "Mean", Unit::ns, "Total divided by calls",
                   [](const KernelRow& row) { return row.spread.mean_ns(); });
  time("min_ns", "Min", "The shortest", [](const DurationSpread& it) { return it.min_ns; });
  time("max_ns", "Max", "The longest", [](const DurationSpread& it) { return it.max_ns; });
  table.numbers_of(rows, "std_ns", "Deviation", Unit::ns, "Standard deviation of the sample (n - 1)",
                   [](const KernelRow& row) { return row.spread.deviation_ns; });
  time("median_ns", "Median", "Half of the calls take no longer",
       [](const DurationSpread& it) { return it.median_ns; });
  time("p90_ns", "90 %", "Nine of ten calls take no longer",
       [](const DurationSpread& it) { return it.p90_ns; });
  time("p99_ns", "99 %", "99 of 100 calls take no longer",
       [](const DurationSpread& it) { return it.p99_ns; });
  table.numbers_of(rows, "share", "Share", Unit::share, "Of the summed durations of all GPU work",
                   [&](const KernelRow& row) {
                     return all_ns == 0
                                ? kNoNumber
                                : static_cast<double>(row.spread.total_ns) / static_cast<double>(all_ns);
                   });
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  const auto integer = [](std::int64_t value) { return value < 0 ? kNoInteger : value; };
  table.texts_of(rows, "grid", "Grid", "Blocks in each dimension, of the longest call",
                 [&](const KernelRow& row) { return text_of_triple(facts[row.facts].grid); });
  table.texts_of(rows, "block", "Block", "Threads in each dimension, of the longest call",
                 [&](const KernelRow& row) { return text_of_triple(facts[row.facts].block); });
  table.integers_of(rows, "registers", "Registers", Unit::count, "Registers a thread, of the longest call",
                    [&](const KernelRow& row) { return integer(facts[row.facts].registers); });
  table.integers_of(rows, "shared_memory_bytes", "Shared memory", Unit::bytes,
                    "A block's, of the longest call",
                    [&](const KernelRow& row) { return integer(facts[row.facts].shared_memory); });
  table.numbers_of(rows, "blocks_per_sm", "Blocks per SM", Unit::number,
                   "Mean weighted by duration; below 1 a part of the GPU has nothing to do",
                   [&](const KernelRow& row) { return absent(row.blocks_per_sm); });
  table.numbers_of(rows, "occupancy_percent", "Occupancy", Unit::percent,
                   "Estimated achieved occupancy as the profiler gives it, mean weighted by duration",
                   [&](const KernelRow& row) { return absent(row.occupancy); });
  if (grouping == KernelGrouping::shape) {
    table.integers_of(rows, "bytes", "Bytes", Unit::bytes, "Of one call: what it copies, sets or sends",
                      [&](const KernelRow& row) { return integer(moved_bytes(trace, facts, row)); });
    table.texts_of(rows, "peers", "Peers", "From which device to which, or the process group",
                   [&](const KernelRow& row) { return peers_text(trace, facts, row); });
  }
  table.texts_of(rows, "tensor_cores", "Tensor Cores",
                 "Whether the name is that of a kernel that computes on Tensor Cores (Matrix Cores of AMD); "
                 "unknown where names do not tell",
                 [](const KernelRow& row) {
                   return row.kind == SliceKind::compute ? text_of(row.tensor_cores) : std::string_view();
                 });
  table.texts_of(rows, "operator", "Operator", "The operator that launched most of its time",
                 [&](const KernelRow& row) { return text_or_unknown(trace, row.op); });
  for (const KernelRow& row : rows) table.links.emplace_back(row.longest);
  if (all_ns > 0) {
    table.notes.push_back(launch_coverage(known_ns, all_ns));
  }
  return table;
}

Table outlier_table(const Trace& trace, const std::vector<KernelOutlier>& outliers) {
  Table table;
  table.name = "outliers";
  table.title = "Outliers";
  table.definition =
      "GPU work that took more than five times the median of its like: of one name, kind, grid, block, bytes "
      "and peers.";
  table.texts_of(outliers, "name", "Name", "The full name",
                 [&](const KernelOutlier& it) { return std::string(trace.name_of(it.slice)); });
  table.integers_of(outliers, "start_ns", "Start", Unit::ns, "Since the trace's begin",
                    [&](const KernelOutlier& it) { return trace.slices.start_ns[index_of(it.slice)]; });
  table.integers_of(outliers, "duration_ns", "Duration", Unit::ns, "Of this call",
                    [](const KernelOutlier& it) { return it.duration_ns; });
  table.integers_of(outliers, "median_ns", "Median", Unit::ns, "Of all calls that are alike",
                    [](const KernelOutlier& it) { return it.median_ns; });
  table.numbers_of(outliers, "ratio", "Times the median", Unit::number, "Duration divided by the median",
                   [](const KernelOutlier& it) { return it.ratio; });
  for (const KernelOutlier& it : outliers) table.links.emplace_back(it.slice);
  return table;
}

namespace {

constexpr std::string_view kNameKeys[] = {"name", "kind"};
constexpr std::string_view kShapeKeys[] = {
    "name", "kind", "grid", "block", "bytes", "registers", "shared_memory_bytes", "peers"};
constexpr std::string_view kOperatorKeys[] = {"name", "kind", "operator"};
/// In the order of KernelGrouping.
constexpr TableGroup kKernelGroups[] = {{"name", "By name", kNameKeys},
                                        {"short-name", "By short name", kNameKeys},
                                        {"shape", "By name and shape", kShapeKeys},
                                        {"operator", "By operator", kOperatorKeys}};

}  // namespace

constexpr TableKind kKernelTable{
    .name = "kernels",
    .title = "Kernels",
    .heading = "GPU",
    .about = "All GPU work",
    .groups = kKernelGroups,
    .compute = [](const RangeParts& parts, const TableAsked& asked, const std::stop_token& stop) -> Table {
      const auto grouping = static_cast<KernelGrouping>(asked.group);
      if (grouping == KernelGrouping::name)
        return kernel_table(parts.trace(), parts.gpu_parts().kernels(stop), grouping);
      return kernel_table(parts.trace(),
                          kernel_rows(parts.trace(), parts.work(stop), parts.gpu_range(stop), grouping, stop),
                          grouping);
    },
    .instances =
        [](const RangeParts& parts, const RowAsked& asked, const std::stop_token& stop) {
          return kernel_instances(parts.trace(), parts.work(stop), static_cast<KernelGrouping>(asked.group),
                                  asked.example, stop);
        }};

constexpr TableKind kOutlierTable{
    .name = "outliers",
    .title = "Outliers",
    .heading = "GPU",
    .about = "GPU work that took many times longer than its like",
    .compute = [](const RangeParts& parts, const TableAsked&, const std::stop_token& stop) -> Table {
      return outlier_table(parts.trace(), parts.gpu_parts().outliers(stop));
    },
    // What an outlier is measured by.
    .instances =
        [](const RangeParts& parts, const RowAsked& asked, const std::stop_token& stop) {
          return kernel_instances(parts.trace(), parts.work(stop), KernelGrouping::shape, asked.example,
                                  stop);
        }};

}  // namespace kino
