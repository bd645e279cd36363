#include "core/tables/gpu/kernel_table.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/string_table.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/duration_stats_columns.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/gpu/kernel_groups.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

struct Piece {
  SliceId slice;
  std::int64_t duration_ns;  // clipped
};

/// Mean, weighted by duration, of values that only some instances have.
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

/// Work sorted by group. `first` contains the index of each group's first piece, and then the number of
/// pieces.
struct Buckets {
  std::vector<Piece> pieces;
  std::vector<std::size_t> first;
};

Buckets bucketed(const Trace& trace, const GpuWork& work, TimeRange range, KernelGrouping grouping,
                 const std::stop_token& stop) {
  KernelGroups groups(trace, grouping);
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
      const TimeRange part = clipped(range, trace.start_ns(slice), trace.end_ns(slice));
      out.pieces[next[group_of[at++]]++] = {slice, part.length_ns()};
    }
  }
  return out;
}

/// Finds the name with the most time among the added names.
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

std::int64_t bytes_of(const Trace& trace, const std::vector<EventFacts>& facts, const KernelRow& row) {
  if (row.kind == SliceKind::communication) return collective_facts(trace, facts, row.longest).bytes();
  return facts[row.facts].bytes;
}

std::string peers_text(const Trace& trace, const std::vector<EventFacts>& facts, const KernelRow& row) {
  const EventFacts& own = facts[row.facts];
  if (own.source >= 0 || own.target >= 0) {
    const auto text = [](std::int64_t rank) { return rank < 0 ? std::string("?") : std::to_string(rank); };
    return text(own.source) + " -> " + text(own.target);
  }
  if (row.kind != SliceKind::communication) return {};
  return std::string(collective_facts(trace, facts, row.longest).group);
}

/// Returns the row of one group. `pieces` must not be empty.
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
    const EventFacts& own = facts[facts_index(trace, piece.slice)];
    blocks.add(own.blocks_per_sm, piece.duration_ns);
    occupancy.add(known_occupancy(own), piece.duration_ns);
    ops.add(KernelGroups::operator_name(trace, piece.slice), piece.duration_ns);
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
  row.name = trace.name(first);
  row.kind = trace.kind(first);
  row.spread = duration_stats(durations);
  row.facts = facts_index(trace, row.longest);
  row.op = ops.best();
  row.blocks_per_sm = blocks.mean();
  row.occupancy = occupancy.mean();
  if (row.spread.total_ns > 0)
    row.occupancy_known_share = occupancy.weight / static_cast<double>(row.spread.total_ns);
  if (row.kind == SliceKind::compute) row.tensor_cores = tensor_cores_of(trace.name_text(row.name), vendor);
  return row;
}

void add_durations(Table& table, const std::vector<KernelRow>& rows) {
  const SpreadColumns columns{table, rows, &KernelRow::spread};
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::number_of_executions,
                    [](const KernelRow& row) { return row.spread.count; });
  columns.time("total_ns", msg::total, msg::summed_durations, &DurationStats::total_ns);
  columns.mean(msg::total_divided_by_calls);
  columns.time("min_ns", msg::min, msg::the_shortest, &DurationStats::min_ns);
  columns.time("max_ns", msg::max, msg::the_longest, &DurationStats::max_ns);
  table.number_column(rows, "std_ns", msg::deviation, Unit::ns, msg::standard_deviation_of_the_sample_n,
                      [](const KernelRow& row) { return row.spread.deviation_ns; });
  columns.time("median_ns", msg::median, msg::half_of_the_calls_take_no, &DurationStats::median_ns);
  columns.time("p90_ns", msg::p90, msg::ninety_percent_take_at_most, &DurationStats::p90_ns);
  columns.time("p99_ns", msg::p99, msg::ninety_nine_percent_take_at_most, &DurationStats::p99_ns);
  columns.share(msg::share_of_all_gpu_work);
}

/// Adds the columns for grid, block, registers, shared memory and occupancy.
void add_launch_shapes(Table& table, const std::vector<KernelRow>& rows, std::span<const EventFacts> facts) {
  table.texts_of(rows, "grid", msg::grid, msg::blocks_in_each_dimension_of_the,
                 [&](const KernelRow& row) { return text_of_triple(facts[row.facts].grid); });
  table.texts_of(rows, "block", msg::block, msg::threads_in_each_dimension_of_the,
                 [&](const KernelRow& row) { return text_of_triple(facts[row.facts].block); });
  table.integers_of(rows, "registers", msg::registers, Unit::count, msg::registers_per_thread,
                    [&](const KernelRow& row) { return known_or_none(facts[row.facts].registers); });
  table.integers_of(rows, "shared_memory_bytes", msg::shared_memory, Unit::bytes,
                    msg::per_block_of_longest_call,
                    [&](const KernelRow& row) { return known_or_none(facts[row.facts].shared_memory); });
  table.number_column(rows, "blocks_per_sm", msg::blocks_per_sm, Unit::number,
                      msg::blocks_per_sm_weighted_mean,
                      [&](const KernelRow& row) { return known_or_none(row.blocks_per_sm); });
  constexpr double kMostlyRecorded = 0.5;
  table.number_column(rows, "occupancy_percent", msg::occupancy, Unit::percent,
                      msg::estimated_achieved_occupancy_as_the_profiler, [&](const KernelRow& row) {
                        return row.occupancy_known_share > kMostlyRecorded ? known_or_none(row.occupancy)
                                                                           : kNoNumber;
                      });
}

/// Returns a note on CUDA graphs recorded as a whole, whose kernels are in no row. Empty if there are none.
/// O(GPU work).
Message graph_note(const Trace& trace, const GpuWork& work, TimeRange range) {
  const std::uint32_t category = trace.categories.find("cuda_graph");
  if (category == StringTable::kAbsent) return {};
  const CategoryId graph{static_cast<std::uint16_t>(category)};
  std::int64_t all_ns = 0;
  std::int64_t graph_ns = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      const TimeRange part = clipped(range, trace.start_ns(slice), trace.end_ns(slice));
      add_saturating(all_ns, part.length_ns());
      if (trace.category(slice) == graph) add_saturating(graph_ns, part.length_ns());
    }
  }
  if (graph_ns <= 0) return {};
  const double share = static_cast<double>(graph_ns) / static_cast<double>(all_ns);
  return Message(msg::rows_cover_gpu_time, text_from_share(1 - share), text_from_share(share))
      .then(msg::shares_refer_to_rows);
}

constexpr std::string_view kNameKeys[] = {"name", "kind"};
constexpr std::string_view kShapeKeys[] = {
    "name", "kind", "grid", "block", "bytes", "registers", "shared_memory_bytes", "peers"};
constexpr std::string_view kOperatorKeys[] = {"name", "kind", "operator"};

/// In the order of KernelGrouping.
constexpr TableGroup kKernelGroups[] = {{"name", msg::by_name, kNameKeys},
                                        {"short-name", msg::by_short_name, kNameKeys},
                                        {"shape", msg::by_name_and_shape, kShapeKeys},
                                        {"operator", msg::by_operator, kOperatorKeys}};

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
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const KernelRow& row) { return row.spread.total_ns; });
  return rows;
}

std::vector<SliceId> kernel_instances(const Trace& trace, const GpuWork& work, KernelGrouping grouping,
                                      SliceId example, const std::stop_token& stop) {
  KernelGroups groups(trace, grouping);
  const std::uint32_t wanted = groups.of(example);
  std::vector<SliceId> instances;
  std::size_t seen = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (seen++ % kCancelStride == 0 && stop.stop_requested()) return {};
      if (groups.takes(slice) && groups.of(slice) == wanted) instances.push_back(slice);
    }
  }
  return instances;
}

std::string text_of_triple(const std::array<std::int64_t, 3>& triple) {
  if (triple[0] < 0) return "";
  return "[" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) + ", " +
         std::to_string(triple[2]) + "]";
}

Table kernel_table(const Trace& trace, const std::vector<KernelRow>& rows, KernelGrouping grouping,
                   const LaunchCoverage& coverage) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  Table table{.name = "kernels",
              .title = msg::kernels,
              .definition = grouping == KernelGrouping::shape ? msg::gpu_work_grouped_by_fixed_properties
                                                              : msg::all_gpu_work_kernels_copies_and};
  table.texts_of(rows, "name", msg::name, msg::full_name_or_copy_direction, [&](const KernelRow& row) {
    const std::string_view name = trace.name_text(row.name);
    return grouping == KernelGrouping::short_name ? short_name(name) : std::string(name);
  });
  table.text_column(rows, "kind", msg::kind, msg::computation_communication_or_memory,
                    [](const KernelRow& row) {
                      return row.kind == SliceKind::compute         ? msg::computation
                             : row.kind == SliceKind::communication ? msg::word_communication
                                                                    : msg::word_memory;
                    });
  add_durations(table, rows);
  add_launch_shapes(table, rows, facts);
  if (grouping == KernelGrouping::shape) {
    table.integers_of(rows, "bytes", msg::bytes, Unit::bytes, msg::bytes_of_one_call,
                      [&](const KernelRow& row) { return known_or_none(bytes_of(trace, facts, row)); });
    table.texts_of(rows, "peers", msg::peers, msg::source_and_destination_device,
                   [&](const KernelRow& row) { return peers_text(trace, facts, row); });
  }
  table.text_column(rows, "tensor_cores", msg::tensor_cores, msg::uses_tensor_cores_by_name,
                    [](const KernelRow& row) {
                      return row.kind == SliceKind::compute ? text_of(row.tensor_cores) : msg::nothing;
                    });
  table.texts_of(rows, "operator", msg::operator_, msg::the_operator_or_else_the_user,
                 [&](const KernelRow& row) { return std::string(trace.name_text(row.op)); });
  for (const KernelRow& row : rows) table.links.emplace_back(row.longest);
  if (Message note = launch_coverage_note(coverage); !note.empty()) table.notes.push_back(std::move(note));
  return table;
}

constexpr TableKind<GpuParts> kKernelTable{
    {.name = "kernels",
     .title = msg::kernels,
     .heading = msg::gpu,
     .about = msg::about_kernels,
     .groups = kKernelGroups},
    [](const GpuParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const auto grouping = static_cast<KernelGrouping>(query.group);
      const TimeRange range = parts.gpu_range(stop);
      const LaunchCoverage coverage = parts.coverage(stop);
      Table table = grouping == KernelGrouping::name
                        ? kernel_table(parts.trace(), parts.kernels(stop), grouping, coverage)
                        : kernel_table(parts.trace(),
                                       kernel_rows(parts.trace(), parts.work(stop), range, grouping, stop),
                                       grouping, coverage);
      Message note = graph_note(parts.trace(), parts.work(stop), range);
      if (!note.empty()) table.notes.push_back(std::move(note));
      return table;
    },
    [](const GpuParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return kernel_instances(parts.trace(), parts.work(stop), static_cast<KernelGrouping>(query.group),
                              query.example, stop);
    }};

}  // namespace kino
