#include "core/tables/gpu/gpu_metrics.hpp"

#include <algorithm>
#include <queue>

#include "core/base/messages/message.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/gpu/tensor_cores.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

struct Kernel {
  TimeRange range;
  double blocks_per_sm;  // 0 if unknown
};

/// End of a running kernel. At equal times, ends precede starts.
struct Ending {
  std::int64_t end_ns;
  double blocks_per_sm;
  bool operator>(const Ending& other) const { return end_ns > other.end_ns; }
};

/// Accumulates utilization and efficiency from kernels in order of start.
struct RateSweep {
  double covered_ns = 0;      // time with any kernel
  double effective_ns = 0;    // integral of min(1, blocks per SM)
  GpuRates* rates = nullptr;  // receives the curves, unless null

  void run(const std::vector<Kernel>& kernels) {
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
    double blocks = 0;
    std::int64_t now = 0;
    const auto advance = [&](std::int64_t to) {
      if (rates != nullptr && to > now) note(now, !running.empty(), std::min(1.0, blocks));
      if (!running.empty()) {
        covered_ns += static_cast<double>(to - now);
        effective_ns += static_cast<double>(to - now) * std::min(1.0, blocks);
      }
      now = to;
    };
    const auto end_until = [&](std::int64_t until) {
      while (!running.empty() && running.top().end_ns <= until) {
        advance(running.top().end_ns);
        blocks -= running.top().blocks_per_sm;
        running.pop();
        if (running.empty()) blocks = 0;  // discards rounding errors
      }
    };
    for (const Kernel& kernel : kernels) {
      end_until(kernel.range.begin_ns);
      advance(kernel.range.begin_ns);
      running.push({kernel.range.end_ns, kernel.blocks_per_sm});
      blocks += kernel.blocks_per_sm;
    }
    end_until(std::numeric_limits<std::int64_t>::max());
    if (rates != nullptr) note(now, false, 0);
  }

 private:
  void note(std::int64_t now, bool busy, double effective) const {
    extend_curve(rates->busy, now, busy ? 1 : 0);
    extend_curve(rates->efficiency, now, busy ? effective : 0);
  }
};

/// Kernels of one GPU in order of start, and sums over all of these kernels.
struct ProcessKernels {
  std::vector<Kernel> kernels;
  double summed_ns = 0;
  double tensor_ns = 0;
  double tensor_unknown_ns = 0;
  double occupancy_sum = 0;
  double occupancy_ns = 0;

  void add(TimeRange part, const EventFacts& facts, TensorCores tensor) {
    const auto length = static_cast<double>(part.length_ns());
    kernels.push_back({part, std::max(0.0, facts.blocks_per_sm)});
    summed_ns += length;
    if (tensor == TensorCores::yes) tensor_ns += length;
    if (tensor == TensorCores::unknown) tensor_unknown_ns += length;
    if (const double occupancy = known_occupancy(facts); occupancy >= 0) {
      occupancy_sum += occupancy * length;
      occupancy_ns += length;
    }
  }
};

/// Calls visit(process, kernels) for each GPU with kernels.
template <class Visit>
void visit_gpus(const Trace& trace, const GpuWork& work, TimeRange range, const std::stop_token& stop,
                const Visit& visit) {
  const auto begin_of = [](const Kernel& kernel) { return kernel.range.begin_ns; };
  const std::vector<EventFacts> facts = decode_facts(trace);
  const GpuVendor vendor = gpu_vendor(trace);
  std::vector<TensorCores> tensor(trace.names.size(), TensorCores::no);
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const bool kernel = i < trace.name_kind.size() && trace.name_kind[i] == SliceKind::compute;
    if (kernel) tensor[i] = tensor_cores_of(trace.names[i], vendor);
  }
  for (std::uint32_t process = 0; process < trace.processes.size(); ++process) {
    ProcessKernels found;
    for (const StreamWork& stream : work.of_process(trace, process)) {
      if (stop.stop_requested()) return;
      for (const SliceId slice : stream.slices) {
        if (trace.kind(slice) == SliceKind::copy) continue;
        const TimeRange part = clipped(range, trace.start_ns(slice), trace.end_ns(slice));
        if (part.length_ns() <= 0) continue;
        found.add(part, facts[facts_index(trace, slice)], tensor[index_of(trace.name(slice))]);
      }
    }
    if (found.kernels.empty()) continue;
    // Kernels of a single stream are sorted.
    if (!std::ranges::is_sorted(found.kernels, {}, begin_of))
      std::ranges::stable_sort(found.kernels, {}, begin_of);
    visit(process, found);
  }
}

constexpr std::string_view kGpuMetricsKeys[] = {"gpu"};

}  // namespace

std::vector<GpuMetrics> gpu_metrics(const Trace& trace, const GpuWork& work, TimeRange range,
                                    const std::stop_token& stop) {
  std::vector<GpuMetrics> gpus;
  const bool known_vendor = gpu_vendor(trace) != GpuVendor::unknown;
  visit_gpus(trace, work, range, stop, [&](std::uint32_t process, const ProcessKernels& found) {
    RateSweep sweep;
    sweep.run(found.kernels);
    const auto length = static_cast<double>(range.length_ns());
    GpuMetrics& gpu = gpus.emplace_back();
    gpu.process = process;
    gpu.utilization = length > 0 ? sweep.covered_ns / length : 0;
    // If blocks per SM or occupancy are unknown, profilers write 0 for every kernel.
    if (sweep.effective_ns > 0 && length > 0) gpu.sm_efficiency = sweep.effective_ns / length;
    if (found.occupancy_sum > 0) {
      gpu.occupancy = found.occupancy_sum / found.occupancy_ns;
      gpu.occupancy_known_share = found.occupancy_ns / found.summed_ns;
    }
    gpu.tensor_core_unknown_share = found.tensor_unknown_ns / found.summed_ns;
    // A share of 0 is known only if most of the kernel time is in kernels whose names show the use of Tensor
    // Cores. The vendor must also be known: names of other vendors' kernels do not show their matrix units.
    constexpr double kMostlyKnown = 0.5;
    const bool known = found.tensor_ns > 0 || (gpu.tensor_core_unknown_share < kMostlyKnown && known_vendor);
    gpu.tensor_core_share = known ? found.tensor_ns / found.summed_ns : -1;
  });
  if (stop.stop_requested()) return {};
  return gpus;
}

std::vector<GpuRates> gpu_rates(const Trace& trace, const GpuWork& work, TimeRange range,
                                const std::stop_token& stop) {
  std::vector<GpuRates> gpus;
  visit_gpus(trace, work, range, stop, [&](std::uint32_t process, const ProcessKernels& found) {
    GpuRates& gpu = gpus.emplace_back();
    gpu.process = process;
    gpu.busy.push_back({range.begin_ns, 0});
    gpu.efficiency.push_back({range.begin_ns, 0});
    RateSweep sweep;
    sweep.rates = &gpu;
    sweep.run(found.kernels);
    if (sweep.effective_ns <= 0) gpu.efficiency.clear();
  });
  if (stop.stop_requested()) return {};
  return gpus;
}

Table gpu_metrics_table(const Trace& trace, const std::vector<GpuMetrics>& gpus, const TimeBase& base) {
  Table table{
      .name = "utilization", .title = msg::gpu_utilization, .definition = msg::row_per_gpu_with_kernels};
  const std::vector<std::string> titles = unique_process_titles(trace);
  table.texts_of(gpus, "gpu", msg::gpu, msg::the_gpu,
                 [&](const GpuMetrics& gpu) { return titles[gpu.process]; });
  table.text_column(gpus, "base", msg::base_title, msg::time_shares_refer_to,
                    [&](const GpuMetrics&) { return base.brief(); });
  table.integers_of(gpus, "base_ns", msg::time, Unit::ns, msg::length_of_that_time,
                    [&](const GpuMetrics&) { return base.window.length_ns(); });
  table.number_column(gpus, "utilization", msg::utilization, Unit::share, msg::share_of_that_time_with_at,
                      &GpuMetrics::utilization);
  table.number_column(gpus, "sm_efficiency", msg::sm_efficiency, Unit::share,
                      msg::estimated_mean_over_that_time_of,
                      [&](const GpuMetrics& gpu) { return known_or_none(gpu.sm_efficiency); });
  table.number_column(gpus, "occupancy_percent", msg::occupancy, Unit::percent,
                      msg::estimated_achieved_occupancy_mean_weighted,
                      [&](const GpuMetrics& gpu) { return known_or_none(gpu.occupancy); });
  table.number_column(gpus, "occupancy_known_share", msg::occupancy_known, Unit::share,
                      msg::share_of_summed_kernel_time_in_kernels_whose_occupancy_was,
                      &GpuMetrics::occupancy_known_share);
  table.number_column(gpus, "tensor_core_share", msg::tensor_cores, Unit::share,
                      msg::share_of_summed_kernel_time_in,
                      [&](const GpuMetrics& gpu) { return known_or_none(gpu.tensor_core_share); });
  table.number_column(gpus, "tensor_core_unknown_share", msg::tensor_cores_unknown, Unit::share,
                      msg::share_of_summed_kernel_time_in_kernels_whose,
                      &GpuMetrics::tensor_core_unknown_share);
  if (!gpus.empty()) table.notes.emplace_back(msg::base_named, base.text());
  const auto partly = [](const GpuMetrics& gpu) {
    return gpu.occupancy >= 0 && gpu.occupancy_known_share < 1;
  };
  if (std::ranges::any_of(gpus, partly)) table.notes.emplace_back(msg::occupancy_excludes_contradicted_zeros);
  const auto partly_named = [](const GpuMetrics& gpu) {
    return gpu.tensor_core_share >= 0 && gpu.tensor_core_unknown_share > 0;
  };
  if (std::ranges::any_of(gpus, partly_named))
    table.notes.emplace_back(msg::tensor_core_shares_are_lower_bounds);
  return table;
}

constexpr TableKind<GpuParts> kGpuMetricsTable{
    {.name = "utilization",
     .title = msg::gpu_utilization,
     .heading = msg::gpu,
     .about = msg::about_utilization,
     .keys = kGpuMetricsKeys},
    [](const GpuParts& parts, const TableQuery&, const std::stop_token& stop) -> Table {
      return gpu_metrics_table(parts.trace(), parts.metrics(stop), parts.base(stop));
    }};

}  // namespace kino
