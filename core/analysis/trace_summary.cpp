#include "core/analysis/trace_summary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/byte_text.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/gpu/device_peaks.hpp"
#include "core/gpu/gpu_parts.hpp"
#include "core/gpu/gpu_waits.hpp"
#include "core/operators/operator_parts.hpp"
#include "core/trace/event_facts.hpp"

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
constexpr double kUntold = 0.02;
constexpr std::int64_t kTinyNs = 5'000;
constexpr std::uint64_t kManyKernels = 1'000;
constexpr std::size_t kMostGpus = 256;  // told one by one; nobody reads more, and the tables have all

double ratio(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A listed device; of an unknown one nothing is said.
bool may_use_tensor_cores(const JobInfo& job) {
  return std::any_of(job.device_names.begin(), job.device_names.end(),
                     [](const std::string& name) { return has_tensor_cores(name); });
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

/// How long at least one of them lasts. Reorders them.
std::int64_t united_length(std::vector<TimeRange>& times) {
  std::sort(times.begin(), times.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin_ns < b.begin_ns; });
  std::int64_t sum = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::min();
  for (const TimeRange& it : times) {
    const std::int64_t from = std::max(until, it.begin_ns);
    if (it.end_ns <= from) continue;
    sum += it.end_ns - from;
    until = it.end_ns;
  }
  return sum;
}

template <class Gpu>
std::span<const Gpu> first_gpus(const std::vector<Gpu>& gpus) {
  return {gpus.data(), std::min(gpus.size(), kMostGpus)};
}

class Finder {
 public:
  /// `work` is all that runs in the base.
  Finder(const RangeParts& parts, const GpuWork& work, TraceSummary& out, const std::stop_token& stop)
      : parts_(parts), gpu_(parts.gpu_parts()), trace_(parts.trace()), work_(work), out_(out), stop_(stop) {}

  void run() {
    waits_ = gpu_waits(trace_, out_.base.window, stop_);
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
  void add(FindingKind kind, double share, std::string base, std::string sentence, SliceId evidence) {
    out_.findings.push_back({kind, share, std::move(base), std::move(sentence), evidence});
  }
  void add_of_time(FindingKind kind, double share, const std::string& what, SliceId evidence) {
    add(kind, share, out_.base.brief(), of_time(share) + what, evidence);
  }
  std::string of_time(double share) const {
    return text_from_share(share) + " of the time (" + out_.base.brief() + ")";
  }
  bool has_gpu() const { return !out_.gpus.empty() || !parts_.work(stop_).streams.empty(); }

  /// The step that has most of a role.
  SliceId worst_step(StepRole role) const {
    const auto worst = std::max_element(
        out_.steps.begin(), out_.steps.end(),
        [&](const SplitStep& a, const SplitStep& b) { return a.split[role] < b.split[role]; });
    return worst == out_.steps.end() ? kNoSlice : worst->slice;
  }

  void look_at_split() {
    const std::int64_t whole = out_.base.window.length_ns();
    const double loading = ratio(out_.split[StepRole::data_loading], whole);
    loading_ = loading > kDataLoading;
    if (loading_) {
      add_of_time(FindingKind::data_loading, loading,
                  (has_gpu() ? " the " + out_.base.device + " waits for" : std::string(" goes to")) +
                      " the data loader; more workers (num_workers) may help.",
                  worst_step(StepRole::data_loading));
    }
    const double exposed = ratio(out_.split[StepRole::communication], whole);
    if (exposed > kCommunication) {
      add_of_time(FindingKind::exposed_communication, exposed, " collectives run and nothing computes.",
                  worst_step(StepRole::communication));
    }
  }

  void look_at_gpus() {
    for (const GpuMetrics& gpu : first_gpus(out_.metrics)) {
      if (gpu.utilization >= kLowUtilization) continue;
      add(FindingKind::low_utilization, 1 - gpu.utilization, out_.base.brief(),
          trace_.processes[gpu.process].title + " runs kernels only " + of_time(gpu.utilization) + ".",
          kNoSlice);
    }
  }

  /// A stream that is used now and then waits for no one: only while the whole GPU is idle it counts.
  void look_at_idle() {
    LateLaunches worst;
    std::uint32_t process = 0;
    for (const GpuBreakdown& gpu : out_.gpus) {
      const LateLaunches late = late_launches(trace_, work_.of_process(trace_, gpu.process), out_.base.window,
                                              gpu_.roles(stop_), waits_, stop_);
      if (late.idle_ns <= worst.idle_ns) continue;
      worst = late;
      process = gpu.process;
    }
    const double share = ratio(worst.idle_ns, out_.base.window.length_ns());
    if (share <= kHostWait) return;
    add_of_time(FindingKind::launch_bound, share,
                " " + (out_.gpus.size() > 1 ? trace_.processes[process].title : "the " + out_.base.device) +
                    " is idle because the CPU launches its next work too late" +
                    (loading_ ? " (without the time of the data loader)." : "."),
                worst.longest_after);
  }

  void look_at_waiting() {
    if (!has_gpu()) return;
    std::vector<TimeRange> times;
    Found found;
    for (const GpuWait& wait : waits_) {
      if (wait.at_the_end) continue;
      times.push_back(wait.time);
      found.add(wait.time.length_ns(), wait.call);
    }
    const double share = ratio(united_length(times), out_.base.window.length_ns());
    if (share <= kWaiting) return;
    add_of_time(FindingKind::waiting, share,
                " the CPU waits for the GPU, in " +
                    (found.count == 1 ? "one call" : grouped(found.count) + " calls") +
                    " (synchronisation, .item(), copies to the host).",
                found.longest);
  }

  void look_at_kernels() {
    std::uint64_t kernels = 0;
    std::uint64_t tiny = 0;
    SliceId example = kNoSlice;
    std::int64_t compute_ns = 0;
    std::int64_t unknown_ns = 0;
    bool uses_them = false;
    for (const KernelRow& row : out_.kernels) {
      if (row.kind != SliceKind::compute) continue;
      add_saturating(compute_ns, row.spread.total_ns);
      uses_them = uses_them || row.tensor_cores == TensorCores::yes;
      if (row.tensor_cores == TensorCores::unknown) add_saturating(unknown_ns, row.spread.total_ns);
    }
    for (const StreamWork& stream : parts_.work(stop_).streams) {
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
      add(FindingKind::tiny_kernels, share, "the computing kernels",
          text_from_share(share) + " of the computing kernels are shorter than 5 µs; fusing them " +
              (out_.base.device == "GPU" ? "or replaying them as a graph may help." : "may help."),
          example);
    }
    // Where names do not tell, nothing is said of what is not used.
    const bool told = !uses_them && ratio(unknown_ns, compute_ns) < kUntold;
    if (compute_ns > 0 && told && may_use_tensor_cores(trace_.job)) look_for_eligible(compute_ns);
    const std::vector<KernelOutlier>& outliers = gpu_.outliers(stop_);
    if (outliers.empty()) return;
    std::vector<TimeRange> lost;
    for (const KernelOutlier& it : outliers) {
      const std::int64_t end_ns = trace_.end_ns(it.slice);
      const TimeRange part = clipped(out_.base.window, end_ns - (it.duration_ns - it.median_ns), end_ns);
      if (part.length_ns() > 0) lost.push_back(part);
    }
    char times[32];
    std::snprintf(times, sizeof times, "%.0f", outliers.front().ratio);
    const double lost_share = ratio(united_length(lost), out_.base.window.length_ns());
    const std::string what = outliers.size() == 1
                                 ? "One kernel or copy took " + std::string(times) + " times its median"
                                 : grouped(outliers.size()) +
                                       " kernels and copies took over 5 times their median, one of them " +
                                       times + " times";
    add(FindingKind::outliers, lost_share, out_.base.brief(),
        what + "; what goes beyond the median is " + of_time(lost_share) + ".", outliers.front().slice);
  }

  /// Only Python frames tell which calls of modules the backward pass makes.
  void look_at_recompute() {
    if (module_source(trace_) != ModuleSource::python) return;
    const ModuleTree& tree = parts_.operator_parts().modules(stop_);
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
    add(FindingKind::recompute, share, "the GPU's work, summed up",
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
      add(FindingKind::memory_limit, share, "the device's memory",
          memory_device_name(device.device) + " had " + text_from_share(share) +
              " of its memory allocated at the peak (" +
              text_from_bytes(static_cast<double>(device.peak_bytes)) + " of " +
              text_from_bytes(static_cast<double>(memories[device.device])) +
              "); a little more and it runs out.",
          device.peak_slice);
    }
  }

  void look_for_eligible(std::int64_t compute_ns) {
    const SliceSet& eligible = gpu_.tensor_core_work(stop_);
    std::vector<std::uint8_t> untold(trace_.names.size());
    for (const KernelRow& row : out_.kernels)
      untold[index_of(row.name)] = row.tensor_cores == TensorCores::unknown ? 1 : 0;
    std::atomic<bool> any_untold{false};
    Found all;
    for (const StreamWork& stream : parts_.work(stop_).streams) {
      all.add(found_in(stream.slices.size(), stop_, [&](std::size_t i, Found& into) {
        const SliceId slice = stream.slices[i];
        if (!eligible.contains(index_of(slice))) return;
        if (untold[index_of(trace_.slices.name[index_of(slice)])] != 0) any_untold = true;
        const TimeRange part =
            clipped(parts_.gpu_range(stop_), trace_.slices.start_ns[index_of(slice)], trace_.end_ns(slice));
        into.add(part.length_ns(), slice);
      }));
    }
    if (all.count == 0 || any_untold) return;
    const double share = ratio(all.total_ns, compute_ns);
    add(FindingKind::no_tensor_cores, share, "the computing kernels' time, summed up",
        "No kernel uses Tensor Cores, though " + text_from_share(share) +
            " of the computing time is of operators that could (mixed precision, TF32).",
        owner_of(trace_, all.longest));
  }

  const RangeParts& parts_;
  const GpuParts& gpu_;
  const Trace& trace_;
  const GpuWork& work_;
  TraceSummary& out_;
  const std::stop_token& stop_;
  std::vector<GpuWait> waits_;
  bool loading_ = false;  // is a finding
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

double share_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? kNoNumber : static_cast<double>(part) / static_cast<double>(whole);
}

/// The rows on steps, on the base and on what its time went into. add(figure, of, value, unit, share of,
/// text).
template <class Add>
void add_times(const Add& add, const TraceSummary& summary) {
  const TimeBase& base = summary.base;
  std::size_t marked = 0;
  std::size_t complete = 0;
  std::int64_t complete_ns = 0;
  for (const SplitStep& row : summary.steps) {
    if (row.slice == kNoSlice) continue;
    ++marked;
    if (!row.complete) continue;
    ++complete;
    add_saturating(complete_ns, row.range.length_ns());
  }
  if (base.kind == TimeBase::Kind::step) {
    if (marked == 1) {
      add("step", summary.steps.front().name, static_cast<double>(summary.steps.front().range.length_ns()),
          "ns");
    }
  } else {
    add("steps", base.kind == TimeBase::Kind::range ? "with a part in the range" : "",
        static_cast<double>(marked), "count");
  }
  if (base.kind == TimeBase::Kind::steps && complete > 0) {
    add("mean step", "as marked", static_cast<double>(complete_ns) / static_cast<double>(complete), "ns",
        base.brief());
  }
  const std::int64_t whole = base.window.length_ns();
  add("base", base.brief(), static_cast<double>(whole), "ns", {},
      base.text() + ", " + text_from_duration(whole));
  for (std::size_t role = 0; role < kStepRoleCount; ++role) {
    add("time", std::string(text_of(static_cast<StepRole>(role))),
        share_of(summary.split.role_ns[role], whole), "share", base.brief());
  }
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

TraceSummary summarize_trace(const RangeParts& parts, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const GpuParts& gpu = parts.gpu_parts();
  TraceSummary summary;
  // Each of these is one thread's, and they need no other but the work and the base.
  summary.base = gpu.base(stop);
  GpuWork work;
  const std::array<std::function<void()>, 4> tasks{
      [&] { gpu.outliers(stop); }, [&] { gpu.metrics(stop); }, [&] { gpu.roles(stop); },
      [&] {
        work = gpu_work_in(trace, summary.base.window, stop);
        summary.gpus = gpu_breakdown(trace, work, summary.base.window, stop);
      }};
  parallel_for(thread_count_or_default(0), tasks.size(), stop, [&](std::size_t i, unsigned) { tasks[i](); });
  summary.steps = gpu.steps_in_range(stop);
  summary.split = gpu.roles(stop).split(summary.base.window);
  summary.metrics = gpu.metrics(stop);
  summary.kernels = gpu.kernels(stop);
  summary.memory = memory_devices(trace, parts.range());
  Finder(parts, work, summary, stop).run();
  return summary;
}

Table summary_table(const Trace& trace, const TraceSummary& summary) {
  Table table;
  table.name = "summary";
  table.title = "Summary";
  table.definition =
      "The figures of the trace, then what to look at first. Shares of time are all of one base, which the "
      "row "
      "named so describes: the complete steps, else the time from the first GPU work to the last.";
  auto& items = table.add_texts("item", "Figure", "What the row says");
  auto& subjects = table.add_texts("of", "Of", "The step, GPU, kernel or device");
  auto& values = table.add_numbers("value", "Value", Unit::number, "In the unit beside it");
  auto& units = table.add_texts("unit", "Unit", "ns, bytes, share (0..1), percent or count");
  auto& bases = table.add_texts("share_of", "Share of", "What the value is a share or a mean of");
  auto& texts = table.add_texts("text", "Text", "The value as people read it, or the finding as a sentence");
  for (TableColumn& column : table.columns)
    column.export_only = column.key == "value" || column.key == "unit";
  const auto add = [&](std::string item, std::string of, double value, const char* unit,
                       std::string share_of_what = {}, std::string text = {}, SliceId example = kNoSlice) {
    items.push_back(std::move(item));
    subjects.push_back(std::move(of));
    values.push_back(value);
    units.emplace_back(unit);
    bases.push_back(std::move(share_of_what));
    texts.push_back(text.empty() ? text_of_figure(value, unit) : std::move(text));
    table.links.emplace_back(example);
  };
  add_times(add, summary);
  const std::string of_time = summary.base.brief();
  const std::string& word = summary.base.device;
  const std::int64_t whole = summary.base.window.length_ns();
  for (const GpuBreakdown& gpu : first_gpus(summary.gpus)) {
    add(word + " idle", trace.processes[gpu.process].title, share_of(whole - gpu.busy_ns(), whole), "share",
        of_time);
  }
  const auto absent = [](double value) { return value < 0 ? kNoNumber : value; };
  for (const GpuMetrics& gpu : first_gpus(summary.metrics)) {
    const std::string& title = trace.processes[gpu.process].title;
    add(word + " utilisation", title, gpu.utilization, "share", of_time);
    if (word != "GPU") continue;  // the rest is told of GPUs alone
    add("SM efficiency", title, absent(gpu.sm_efficiency), "share", of_time);
    add("occupancy", title, absent(gpu.occupancy), "percent", "kernel time of " + of_time);
    add("Tensor Core share", title, absent(gpu.tensor_core_share), "share", "kernel time of " + of_time);
  }
  constexpr std::size_t kTopKernels = 5;
  for (std::size_t i = 0; i < std::min(kTopKernels, summary.kernels.size()); ++i) {
    const KernelRow& row = summary.kernels[i];
    add("top kernel", std::string(trace.names[index_of(row.name)]), static_cast<double>(row.spread.total_ns),
        "ns", "", "", row.longest);
  }
  for (const MemoryDevice& device : summary.memory) {
    add("memory peak", memory_device_name(device.device), static_cast<double>(device.peak_bytes), "bytes", {},
        {}, device.peak_slice);
  }
  for (const Finding& finding : summary.findings) {
    add("finding", std::string(text_of(finding.kind)), finding.share, "share", finding.base, finding.sentence,
        finding.evidence);
  }
  if (const std::size_t gpus = std::max(summary.gpus.size(), summary.metrics.size()); gpus > kMostGpus) {
    table.notes.push_back("Of the first " + grouped(kMostGpus) + " GPUs; " + grouped(gpus - kMostGpus) +
                          " more are in the tables breakdown and utilization.");
  }
  return table;
}

namespace {

constexpr std::string_view kSummaryKeys[] = {"item", "of"};

}  // namespace

constexpr TableKind kSummaryTable{
    .name = "summary",
    .title = "Summary",
    .heading = "Whole trace",
    .about = "Figures of the trace, and what to look at first",
    .keys = kSummaryKeys,
    .compute = [](const RangeParts& parts, const TableAsked&, const std::stop_token& stop) -> Table {
      return summary_table(parts.trace(), summarize_trace(parts, stop));
    }};

}  // namespace kino
