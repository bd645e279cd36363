#include "core/tables/gpu/gpu_breakdown.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

constexpr std::size_t kKinds = 3;  // compute, communication, copy: the first values of SliceKind

/// Accumulates the times by set of kinds from intervals in order of start. Its state is the latest end per
/// kind.
class Sweep {
 public:
  explicit Sweep(GpuBreakdown& out) : out_(out) {}

  void add(std::size_t kind, std::int64_t start_ns, std::int64_t end_ns) {
    advance(start_ns);
    until_[kind] = std::max(until_[kind], end_ns);
  }
  void finish() { advance(std::numeric_limits<std::int64_t>::max()); }

 private:
  /// Adds the time up to `to` to the sets of kinds that run in it.
  void advance(std::int64_t to) {
    while (now_ < to) {
      std::size_t set = 0;
      std::int64_t next = to;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (until_[kind] <= now_) continue;
        set |= std::size_t{1} << kind;
        next = std::min(next, until_[kind]);
      }
      if (set == 0) {
        now_ = to;
        return;
      }
      out_.exact[set] += next - now_;
      now_ = next;
    }
  }

  GpuBreakdown& out_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
  std::array<std::int64_t, kKinds> until_{now_, now_, now_};
};

struct Cursor {
  const std::vector<SliceId>* slices;
  std::size_t at = 0;
};

constexpr std::string_view kBreakdownKeys[] = {"gpu"};
constexpr std::string_view kKernelTypeKeys[] = {"gpu", "type"};

}  // namespace

std::int64_t GpuBreakdown::busy_ns() const {
  return std::accumulate(exact.begin() + 1, exact.end(), std::int64_t{0});
}

double GpuBreakdown::overlap_share() const {
  const std::int64_t communication = communication_ns();
  return communication == 0 ? 0 : static_cast<double>(overlap_ns()) / static_cast<double>(communication);
}

std::vector<GpuBreakdown> gpu_breakdown(const Trace& trace, const GpuWork& work, TimeRange range,
                                        const std::stop_token& stop) {
  std::vector<GpuBreakdown> gpus;
  for (std::uint32_t process = 0; process < trace.processes.size(); ++process) {
    std::vector<Cursor> heap;
    for (const StreamWork& stream : work.of_process(trace, process)) heap.push_back({&stream.slices, 0});
    if (heap.empty()) continue;
    const auto start_of = [&](const Cursor& cursor) { return trace.start_ns((*cursor.slices)[cursor.at]); };
    const auto later = [&](const Cursor& a, const Cursor& b) { return start_of(a) > start_of(b); };
    std::make_heap(heap.begin(), heap.end(), later);
    GpuBreakdown& gpu = gpus.emplace_back();
    gpu.process = process;
    gpu.window = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    Sweep sweep(gpu);
    for (std::size_t done = 0; !heap.empty(); ++done) {
      if (done % kCancelStride == 0 && stop.stop_requested()) return {};
      std::pop_heap(heap.begin(), heap.end(), later);
      Cursor& cursor = heap.back();
      const SliceId slice = (*cursor.slices)[cursor.at];
      const TimeRange part = clipped(range, trace.start_ns(slice), trace.end_ns(slice));
      gpu.window = {std::min(gpu.window.begin_ns, part.begin_ns), std::max(gpu.window.end_ns, part.end_ns)};
      sweep.add(static_cast<std::size_t>(trace.kind(slice)), part.begin_ns, part.end_ns);
      if (++cursor.at == cursor.slices->size()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    sweep.finish();
  }
  return gpus;
}

Table breakdown_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus) {
  Table table{.name = "breakdown", .title = msg::gpu_time, .definition = msg::row_per_gpu_union_times};
  const auto integers = [&](const char* key, msg::Id title, msg::Id about, auto&& value) {
    table.integers_of(gpus, key, title, Unit::ns, about, value);
  };
  auto& names = table.add_texts("gpu", msg::gpu, msg::the_gpu);
  const std::vector<std::string> titles = unique_process_titles(trace);
  for (const GpuBreakdown& gpu : gpus) names.push_back(titles[gpu.process]);
  integers("kernel_time_ns", msg::gpu_window, msg::from_the_start_of_the_first,
           &GpuBreakdown::kernel_time_ns);
  integers("idle_ns", msg::idle, msg::the_part_of_the_window_without, &GpuBreakdown::idle_ns);
  integers("compute_ns", msg::compute, msg::time_with_at_least_one_computing, &GpuBreakdown::compute_ns);
  integers("non_compute_ns", msg::other_work, msg::time_with_work_but_without_a,
           &GpuBreakdown::non_compute_ns);
  integers("communication_ns", msg::communication, msg::time_with_at_least_one_kernel,
           &GpuBreakdown::communication_ns);
  integers("overlap_ns", msg::hidden_communication, msg::communication_while_at_least_one_kernel,
           &GpuBreakdown::overlap_ns);
  integers("exposed_communication_ns", msg::exposed_communication,
           msg::communication_while_no_kernel_computes, &GpuBreakdown::exposed_communication_ns);
  integers("copy_ns", msg::copies, msg::time_with_at_least_one_copy, &GpuBreakdown::copy_ns);
  const auto shares = [&](const char* key, msg::Id title, msg::Id about, auto&& value) {
    auto& column = table.add_numbers(key, title, Unit::share, about);
    for (const GpuBreakdown& gpu : gpus) {
      const std::int64_t whole = gpu.kernel_time_ns();
      const auto part = static_cast<double>(std::invoke(value, gpu));
      column.push_back(whole == 0 ? kNoNumber : part / static_cast<double>(whole));
    }
  };
  shares("idle_share", msg::idle_share, msg::idle_time_of_the_window, &GpuBreakdown::idle_ns);
  shares("compute_share", msg::compute_share, msg::compute_time_of_the_window, &GpuBreakdown::compute_ns);
  auto& overlap =
      table.add_numbers("overlap_share", msg::hidden_share, Unit::share, msg::hidden_share_of_communication);
  for (const GpuBreakdown& gpu : gpus) {
    overlap.push_back(gpu.communication_ns() == 0 ? kNoNumber : gpu.overlap_share());
  }
  return table;
}

Table kernel_type_table(const Trace& trace, const std::vector<GpuBreakdown>& gpus) {
  constexpr std::array<msg::Id, 8> kSets{msg::word_idle,
                                         msg::word_compute,
                                         msg::word_communication,
                                         msg::compute_overlapping_communication,
                                         msg::copy,
                                         msg::compute_overlapping_copy,
                                         msg::communication_overlapping_copy,
                                         msg::word_compute_overlapping_communication};
  Table table{.name = "kernel-types", .title = msg::kernel_types, .definition = msg::row_per_set_of_kinds};
  auto& names = table.add_texts("gpu", msg::gpu, msg::the_gpu);
  table.add_texts("type", msg::type, msg::the_kinds_of_work_that_run);
  TableColumn& types = table.columns.back();
  TableColumn::Integers times;
  TableColumn::Numbers shares;
  const std::vector<std::string> titles = unique_process_titles(trace);
  for (const GpuBreakdown& gpu : gpus) {
    for (std::size_t set = 1; set < kSets.size(); ++set) {
      if (gpu.exact[set] == 0) continue;
      names.push_back(titles[gpu.process]);
      types.add_word(kSets[set]);
      times.push_back(gpu.exact[set]);
      shares.push_back(static_cast<double>(gpu.exact[set]) / static_cast<double>(gpu.busy_ns()));
    }
  }
  table.add_integers("time_ns", msg::time, Unit::ns, msg::time_in_which_exactly_these_kinds) =
      std::move(times);
  table.add_numbers("busy_share", msg::share, Unit::share, msg::of_the_time_with_any_work) =
      std::move(shares);
  return table;
}

constexpr TableKind<GpuParts> kBreakdownTable{
    {.name = "breakdown",
     .title = msg::gpu_time,
     .heading = msg::gpu,
     .about = msg::about_breakdown,
     .keys = kBreakdownKeys},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return breakdown_table(parts.trace(), parts.breakdown(stop));
    }};

constexpr TableKind<GpuParts> kKernelTypeTable{
    {.name = "kernel-types",
     .title = msg::kernel_types,
     .heading = msg::gpu,
     .about = msg::about_kernel_types,
     .keys = kKernelTypeKeys},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return kernel_type_table(parts.trace(), parts.breakdown(stop));
    }};

}  // namespace kino
