#include "core/trace_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "core/event_facts.hpp"
#include "core/idle_gaps.hpp"
#include "core/parallel.hpp"
#include "core/saturating.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr double kDataLoading = 0.05;  // as the TensorBoard plugin's recommendations
constexpr double kCommunication = 0.10;
constexpr double kLowUtilization = 0.5;
constexpr double kHostWait = 0.10;
constexpr double kWaiting = 0.05;
constexpr double kRecompute = 0.05;
constexpr double kMemory = 0.9;  // as the plugin's
constexpr double kTinyShare = 0.5;
constexpr std::int64_t kTinyNs = 5'000;
constexpr std::uint64_t kManyKernels = 1'000;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Calls during which the CPU does nothing but wait for the GPU.
bool waits_for_gpu(std::string_view call) {
  constexpr std::array<std::string_view, 8> kCalls{
      "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy",
      "hipDeviceSynchronize",  "hipStreamSynchronize",  "hipEventSynchronize",  "hipMemcpyWithStream"};
  return std::find(kCalls.begin(), kCalls.end(), call) != kCalls.end();
}

/// Volta and later, by the names that drivers give.
bool has_tensor_cores(const JobInfo& job) {
  constexpr std::array<std::string_view, 14> kParts{"V100", "T4",   "A100", "A10",  "A30",  "A40",   "L4",
                                                    "H100", "H200", "H800", "B200", "B100", "GB200", "RTX"};
  return std::any_of(job.device_names.begin(), job.device_names.end(), [&](const std::string& name) {
    return std::any_of(kParts.begin(), kParts.end(),
                       [&](std::string_view part) { return name.find(part) != std::string::npos; });
  });
}

/// Slices that a sentence is about, together.
struct Found {
  std::int64_t total_ns = 0;
  std::uint64_t count = 0;
  std::int64_t longest_ns = -1;
  SliceId longest = kNoSlice;  ///< the first of those

  void add(std::int64_t duration_ns, SliceId slice) { add({duration_ns, 1, duration_ns, slice}); }
  void add(const Found& more) {
    add_saturating(total_ns, more.total_ns);
    count += more.count;
    if (more.longest_ns <= longest_ns) return;
    longest_ns = more.longest_ns;
    longest = more.longest;
  }
};

/// What look(i, found) finds for i in [0, count), on all threads.
template <class Look>
Found found_in(std::size_t count, const std::stop_token& stop, const Look& look) {
  std::vector<Found> parts((count + kCancelStride - 1) / kCancelStride);
  parallel_for(thread_count_or_default(0), parts.size(), stop, [&](std::size_t part, unsigned) {
    const std::size_t end = std::min(count, (part + 1) * kCancelStride);
    for (std::size_t i = part * kCancelStride; i < end; ++i) look(i, parts[part]);
  });
  Found all;
  for (const Found& part : parts) all.add(part);
  return all;
}

class Finder {
 public:
  Finder(const RangeAnalysis& analysis, TraceSummary& out, const std::stop_token& stop)
      : analysis_(analysis), trace_(analysis.trace()), out_(out), stop_(stop) {}

  void run() {
    look_at_split();
    look_at_gpus();
    look_at_idle();
    look_at_waiting();
    look_at_kernels();
    look_at_recompute();
    look_at_memory();
    if (stop_.stop_requested()) {
      out_.findings.clear();
      return;
    }
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.share > b.share; });
  }

 private:
  void add(FindingKind kind, double share, std::string sentence, SliceId evidence) {
    out_.findings.push_back({kind, share, std::move(sentence), evidence});
  }

  /// The step that has most of a role.
  SliceId worst_step(StepRole role) const {
    const auto worst = std::max_element(
        out_.steps.begin(), out_.steps.end(),
        [&](const SplitStep& a, const SplitStep& b) { return a.split[role] < b.split[role]; });
    return worst == out_.steps.end() ? kNoSlice : worst->slice;
  }

  void look_at_split() {
    const std::int64_t whole = out_.split.window.length_ns();
    const double loading = ratio(out_.split[StepRole::data_loading], whole);
    if (loading > kDataLoading) {
      add(FindingKind::data_loading, loading,
          text_from_share(loading) +
              " of the time the GPU waits for the data loader; more workers (num_workers) may help.",
          worst_step(StepRole::data_loading));
    }
    const double exposed = ratio(out_.split[StepRole::communication], whole);
    if (exposed > kCommunication) {
      add(FindingKind::exposed_communication, exposed,
          text_from_share(exposed) + " of the time collectives run and nothing computes.",
          worst_step(StepRole::communication));
    }
  }

  void look_at_gpus() {
    for (const GpuMetrics& gpu : out_.metrics) {
      if (gpu.utilization >= kLowUtilization) continue;
      add(FindingKind::low_utilization, 1 - gpu.utilization,
          trace_.processes[gpu.process].title + " runs kernels only " + text_from_share(gpu.utilization) +
              " of the time.",
          kNoSlice);
    }
  }

  void look_at_idle() {
    const StreamIdle* worst = nullptr;
    for (const StreamIdle& stream : analysis_.idle(stop_)) {
      if (worst == nullptr || stream.causes[0].total_ns > worst->causes[0].total_ns) worst = &stream;
    }
    if (worst == nullptr || out_.gpus.empty()) return;
    // A stream that is used now and then waits for no one: only while the whole GPU is idle it counts.
    std::int64_t idle = 0;
    std::int64_t window = 0;
    for (const GpuBreakdown& gpu : out_.gpus) {
      add_saturating(idle, gpu.idle_ns());
      add_saturating(window, gpu.kernel_time_ns());
    }
    const double share = ratio(std::min(idle, worst->causes[0].total_ns), window);
    if (share <= kHostWait) return;
    add(FindingKind::launch_bound, share,
        text_from_share(share) +
            " of the time the GPU is idle because the CPU launches its next work too late.",
        worst->longest_after);
  }

  void look_at_waiting() {
    std::vector<std::uint8_t> waits(trace_.names.size());
    for (std::uint32_t i = 0; i < trace_.names.size(); ++i) waits[i] = waits_for_gpu(trace_.names[i]) ? 1 : 0;
    const Found found = found_in(trace_.slice_count(), stop_, [&](std::size_t i, Found& into) {
      if (waits[index_of(trace_.slices.name[i])] == 0 || trace_.slices.kind[i] != SliceKind::runtime) return;
      if (!in_range(out_.range, trace_.slices.start_ns[i], trace_.slices.duration_ns[i])) return;
      const SliceId slice{static_cast<std::uint32_t>(i)};
      into.add(clipped(out_.range, trace_.slices.start_ns[i], trace_.end_ns(slice)).length_ns(), slice);
    });
    const double share = ratio(found.total_ns, out_.range.length_ns());
    if (share <= kWaiting) return;
    add(FindingKind::waiting, share,
        "The CPU waits for the GPU in " +
            (found.count == 1 ? "one call, " : std::to_string(found.count) + " calls, ") +
            text_from_share(share) + " of the time (synchronisation, .item(), copies to the host).",
        found.longest);
  }

  void look_at_kernels() {
    std::uint64_t kernels = 0;
    std::uint64_t tiny = 0;
    SliceId example = kNoSlice;
    std::int64_t compute_ns = 0;
    std::int64_t tensor_ns = 0;
    for (const KernelRow& row : out_.kernels) {
      if (row.kind != SliceKind::compute) continue;
      add_saturating(compute_ns, row.spread.total_ns);
      if (row.tensor_cores) add_saturating(tensor_ns, row.spread.total_ns);
    }
    for (const StreamWork& stream : analysis_.work(stop_).streams) {
      for (const SliceId slice : stream.slices) {
        if (trace_.slices.kind[index_of(slice)] != SliceKind::compute) continue;
        ++kernels;
        if (trace_.slices.duration_ns[index_of(slice)] >= kTinyNs) continue;
        ++tiny;
        if (example == kNoSlice) example = slice;
      }
    }
    const double share = kernels == 0 ? 0 : static_cast<double>(tiny) / static_cast<double>(kernels);
    if (kernels > kManyKernels && share > kTinyShare) {
      add(FindingKind::tiny_kernels, share,
          text_from_share(share) +
              " of the kernels are shorter than 5 µs; fusing them or CUDA graphs may help.",
          example);
    }
    if (compute_ns > 0 && tensor_ns == 0 && has_tensor_cores(trace_.job)) look_for_eligible(compute_ns);
    const std::vector<KernelOutlier>& outliers = analysis_.outliers(stop_);
    std::int64_t lost = 0;
    for (const KernelOutlier& it : outliers) add_saturating(lost, it.duration_ns - it.median_ns);
    if (outliers.empty()) return;
    char times[32];
    std::snprintf(times, sizeof times, "%.0f", outliers.front().ratio);
    add(FindingKind::outliers, ratio(lost, out_.range.length_ns()),
        outliers.size() == 1
            ? "One kernel or copy took " + std::string(times) + " times its median."
            : std::to_string(outliers.size()) +
                  " kernels and copies took over 5 times their median, one of them " + times + " times.",
        outliers.front().slice);
  }

  /// Only Python frames tell which calls of modules the backward pass makes.
  void look_at_recompute() {
    if (module_source(trace_) != ModuleSource::python) return;
    const ModuleTree& tree = analysis_.modules(stop_);
    std::int64_t again_ns = 0;
    const ModuleKernel* most = nullptr;
    for (const ModuleNode& module : tree.nodes) {
      if (module.parent == ModuleNode::kNone) add_saturating(again_ns, module.recompute_device_ns);
      for (const ModuleKernel& kernel : module.kernels) {
        const bool again = kernel.phase == ModulePhase::recompute;
        if (again && (most == nullptr || kernel.total_ns > most->total_ns)) most = &kernel;
      }
    }
    const double share = ratio(again_ns, tree.device_ns);
    if (share <= kRecompute || most == nullptr) return;
    add(FindingKind::recompute, share,
        text_from_share(share) +
            " of the GPU time repeats forward computations in the backward pass (activation checkpointing).",
        most->longest);
  }

  void look_at_memory() {
    for (const MemoryDevice& device : out_.memory) {
      const std::vector<std::int64_t>& memories = trace_.job.device_memory_bytes;
      if (device.device >= memories.size() || memories[device.device] <= 0) continue;
      const double share = ratio(device.peak_bytes, memories[device.device]);
      if (share <= kMemory) continue;
      add(FindingKind::memory_limit, share,
          memory_device_name(device.device) + " had " + text_from_share(share) +
              " of its memory allocated at the peak (" +
              text_from_bytes(static_cast<double>(device.peak_bytes)) + " of " +
              text_from_bytes(static_cast<double>(memories[device.device])) +
              "); a little more and it runs out.",
          device.peak_slice);
    }
  }

  void look_for_eligible(std::int64_t compute_ns) {
    const SliceSet& eligible = analysis_.tensor_core_work(stop_);
    Found all;
    for (const StreamWork& stream : analysis_.work(stop_).streams) {
      all.add(found_in(stream.slices.size(), stop_, [&](std::size_t i, Found& into) {
        const SliceId slice = stream.slices[i];
        if (!eligible.contains(index_of(slice))) return;
        const TimeRange part =
            clipped(out_.range, trace_.slices.start_ns[index_of(slice)], trace_.end_ns(slice));
        into.add(part.length_ns(), slice);
      }));
    }
    if (all.count == 0) return;
    const double share = ratio(all.total_ns, compute_ns);
    add(FindingKind::no_tensor_cores, share,
        "No kernel uses Tensor Cores, though " + text_from_share(share) +
            " of the computing time is of operators that could (mixed precision, TF32).",
        owner_of(trace_, all.longest));
  }

  const RangeAnalysis& analysis_;
  const Trace& trace_;
  TraceSummary& out_;
  const std::stop_token& stop_;
};

/// A figure of the first page; "unknown" without one.
std::string text_of_figure(double value, std::string_view unit) {
  if (std::isnan(value)) return "unknown";
  if (unit == "ns") return text_from_duration(std::llround(value));
  if (unit == "bytes") return text_from_bytes(value);
  if (unit == "share") return text_from_share(value);
  if (unit == "percent") return text_from_share(value / 100);
  return grouped(static_cast<std::uint64_t>(value));
}

/// The complete steps in the range together, or the range itself.
TimeSplit overall_split(const Trace& trace, const TraceSummary& summary, bool has_steps,
                        const std::stop_token& stop) {
  TimeSplit sum;
  if (!has_steps) {
    const std::array<TimeRange, 1> windows{summary.range};
    const std::vector<TimeSplit> splits = split_time(trace, windows, stop);
    return splits.empty() ? sum : splits.front();
  }
  for (const SplitStep& row : summary.steps) {
    if (!row.complete) continue;
    add_saturating(sum.window.end_ns, row.split.window.length_ns());
    add_saturating(sum.hidden_communication_ns, row.split.hidden_communication_ns);
    for (std::size_t role = 0; role < kStepRoleCount; ++role)
      add_saturating(sum.role_ns[role], row.split.role_ns[role]);
  }
  return sum;
}

}  // namespace

std::string_view text_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::data_loading:
      return "data loading";
    case FindingKind::exposed_communication:
      return "exposed communication";
    case FindingKind::launch_bound:
      return "launch-bound";
    case FindingKind::low_utilization:
      return "low utilisation";
    case FindingKind::no_tensor_cores:
      return "no Tensor Cores";
    case FindingKind::waiting:
      return "waiting for the GPU";
    case FindingKind::tiny_kernels:
      return "tiny kernels";
    case FindingKind::recompute:
      return "recompute";
    case FindingKind::memory_limit:
      return "memory near the limit";
    case FindingKind::outliers:
      break;
  }
  return "outliers";
}

TraceSummary summarize_trace(const RangeAnalysis& analysis, const std::stop_token& stop) {
  const Trace& trace = analysis.trace();
  const TimeRange range = analysis.range();
  TraceSummary summary;
  summary.range = range;
  bool has_steps = false;
  for (const SplitStep& row : analysis.steps(stop)) {
    const TimeRange& window = row.split.window;
    has_steps = has_steps || row.slice != kNoSlice;
    if (window.begin_ns < range.end_ns && window.end_ns > range.begin_ns) summary.steps.push_back(row);
  }
  // Each of these is one thread's, and they need no other but the work.
  analysis.work(stop);
  const std::array<std::function<void()>, 3> parts{
      [&] { analysis.outliers(stop); }, [&] { analysis.metrics(stop); },
      [&] {
        summary.split = overall_split(trace, summary, has_steps, stop);
        analysis.breakdown(stop);
        analysis.idle(stop);
      }};
  parallel_for(thread_count_or_default(0), parts.size(), stop, [&](std::size_t i, unsigned) { parts[i](); });
  summary.gpus = analysis.breakdown(stop);
  summary.metrics = analysis.metrics(stop);
  summary.kernels = analysis.kernels(stop);
  summary.memory = memory_devices(trace, range);
  Finder(analysis, summary, stop).run();
  return summary;
}

Table summary_table(const Trace& trace, const TraceSummary& summary) {
  Table table;
  table.name = "summary";
  table.title = "Summary";
  table.definition = "The figures of the trace, then what to look at first.";
  auto& items = table.add_texts("item", "Figure", "What the row says");
  auto& subjects = table.add_texts("of", "Of", "The step, GPU, kernel or device");
  auto& values = table.add_numbers("value", "Value", Unit::number, "In the unit beside it");
  auto& units = table.add_texts("unit", "Unit", "ns, bytes, share (0..1), percent or count");
  auto& texts = table.add_texts("text", "Text", "The value as people read it, or the finding as a sentence");
  for (TableColumn& column : table.columns)
    column.export_only = column.key == "value" || column.key == "unit";
  const auto add = [&](std::string item, std::string of, double value, const char* unit,
                       std::string text = {}, SliceId example = kNoSlice) {
    items.push_back(std::move(item));
    subjects.push_back(std::move(of));
    values.push_back(value);
    units.emplace_back(unit);
    texts.push_back(text.empty() ? text_of_figure(value, unit) : std::move(text));
    table.examples.push_back(example);
  };
  std::size_t complete = 0;
  for (const SplitStep& row : summary.steps) complete += row.complete && row.slice != kNoSlice ? 1 : 0;
  add("steps", "", static_cast<double>(complete), "count");
  const std::int64_t whole = summary.split.window.length_ns();
  add(complete > 0 ? "mean step" : "range", "",
      static_cast<double>(whole) / static_cast<double>(std::max<std::size_t>(1, complete)), "ns");
  for (std::size_t role = 0; role < kStepRoleCount; ++role) {
    add("time", std::string(text_of(static_cast<StepRole>(role))), ratio(summary.split.role_ns[role], whole),
        "share");
  }
  for (const GpuBreakdown& gpu : summary.gpus) {
    add("GPU idle", trace.processes[gpu.process].title, ratio(gpu.idle_ns(), gpu.kernel_time_ns()), "share");
  }
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  for (const GpuMetrics& gpu : summary.metrics) {
    const std::string& title = trace.processes[gpu.process].title;
    add("GPU utilisation", title, gpu.utilization, "share");
    add("SM efficiency", title, absent(gpu.sm_efficiency), "share");
    add("occupancy", title, absent(gpu.occupancy), "percent");
    add("Tensor Core share", title, gpu.tensor_core_share, "share");
  }
  constexpr std::size_t kTopKernels = 5;
  for (std::size_t i = 0; i < std::min(kTopKernels, summary.kernels.size()); ++i) {
    const KernelRow& row = summary.kernels[i];
    add("top kernel", std::string(trace.names[index_of(row.name)]), static_cast<double>(row.spread.total_ns),
        "ns", "", row.longest);
  }
  for (const MemoryDevice& device : summary.memory) {
    add("memory peak", memory_device_name(device.device), static_cast<double>(device.peak_bytes), "bytes", {},
        device.peak_slice);
  }
  for (const Finding& finding : summary.findings) {
    add("finding", std::string(text_of(finding.kind)), finding.share, "share", finding.sentence,
        finding.evidence);
  }
  return table;
}

}  // namespace kino
