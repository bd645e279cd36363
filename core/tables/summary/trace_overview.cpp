#include "core/tables/summary/trace_overview.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/analysis/known_shares.hpp"
#include "core/tables/compare/run_record.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/ledger/step_ledger.hpp"
#include "core/tables/ledger/whole_tree.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

/// Sums by name over all windows.
class WorkByName {
 public:
  explicit WorkByName(const Trace& trace) : trace_(trace), sums_(trace.names.size()) {}

  /// Adds `ns` to the name of `slice`. `starts`: whether it counts as a piece that starts in the window.
  void add(SliceId slice, std::int64_t ns, bool starts) {
    Sum& sum = sums_[index_of(trace_.name(slice))];
    add_saturating(sum.ns, ns);
    add_saturating(total_ns_, ns);
    if (starts) ++sum.count;
    if (sum.longest == kNoSlice || trace_.duration_ns(slice) > trace_.duration_ns(sum.longest))
      sum.longest = slice;
  }
  /// Adds time that belongs to no name.
  void add_other(std::int64_t ns) { add_saturating(total_ns_, ns); }

  OverviewTop top(std::size_t windows) const {
    OverviewTop top;
    top.total_ns = total_ns_;
    if (windows == 0) return top;
    std::vector<std::uint32_t> names;
    for (std::uint32_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].ns > 0) names.push_back(i);
    }
    const std::size_t most = std::min(OverviewTop::kMost, names.size());
    std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(most), [&](auto a, auto b) {
      return std::pair(-sums_[a].ns, a) < std::pair(-sums_[b].ns, b);
    });
    for (std::size_t i = 0; i < most; ++i) {
      const Sum& sum = sums_[names[i]];
      top.rows.push_back(
          {NameId{names[i]}, trace_.kind(sum.longest),
           static_cast<double>(sum.count) / static_cast<double>(windows),
           sum.ns / static_cast<std::int64_t>(windows),
           static_cast<double>(sum.ns) / static_cast<double>(std::max<std::int64_t>(1, total_ns_)),
           sum.longest});
    }
    return top;
  }

 private:
  struct Sum {
    std::int64_t ns = 0;
    std::uint64_t count = 0;
    SliceId longest = kNoSlice;
  };

  const Trace& trace_;
  std::vector<Sum> sums_;
  std::int64_t total_ns_ = 0;
};

/// Returns the innermost operator that launched the work; kNoSlice if there is none.
SliceId operator_of(const Trace& trace, SliceId work) {
  SliceId at = owner_of(trace, work);
  while (at != kNoSlice && trace.kind(at) != SliceKind::cpu_op) at = trace.parent(at);
  return at;
}

class OverviewMaker {
 public:
  OverviewMaker(const OperatorParts& parts, ByteUnits units, const std::stop_token& stop)
      : parts_(parts), trace_(parts.trace()), units_(units), stop_(stop) {}

  TraceOverview run() {
    out_.summary = summarize_trace(parts_, units_, stop_);
    if (stop_.stop_requested()) return {};
    mark_outliers();
    const std::function<void()> tasks[] = {
        [this] { divide(); }, [this] { sum_up_work(); }, [this] { look_at_memory(); },
        [this] { out_.quality = quality_section(trace_, data_quality_report(trace_, stop_)); },
        [this] { draw_pictures(); }};
    parallel_for(thread_count_or_default(0), std::size(tasks), stop_,
                 [&](std::size_t i, unsigned) { tasks[i](); });
    if (stop_.stop_requested()) return {};
    return std::move(out_);
  }

 private:
  const FindingBase& base() const { return out_.summary.findings.base; }

  void mark_outliers() {
    const Steps steps = find_steps(trace_, stop_);
    out_.outliers.assign(base().all.size(), false);
    for (std::size_t i = 0; i < base().all.size(); ++i) {
      const auto step = std::ranges::find(steps.steps, base().all[i].slice, &Step::slice);
      out_.outliers[i] = step != steps.steps.end() && step->outlier;
    }
  }

  /// Divides the time of each GPU, or of the CPU if no GPU has work in the windows.
  void divide() {
    const WholeTree tree(parts_, stop_);
    const LedgerInputs inputs(trace_, tree.part(), stop_);
    const std::vector<GpuLedger> gpus = gpu_ledgers(inputs, stop_);
    if (stop_.stop_requested() || base().windows.empty()) return;
    out_.of_gpu = !gpus.empty() && base().kind != FindingBase::Kind::thread;
    out_.gpu_count = out_.of_gpu ? gpus.size() : 0;
    if (!out_.of_gpu) return divide_cpu();
    const KnownShares known(trace_, out_.summary.launches, out_.summary.doubtful, base().windows);
    const GpuWork work = gpu_work_in(trace_, whole_range(trace_), stop_);
    for (const GpuLedger& gpu : gpus) {
      if (out_.gpus.size() == TraceOverview::kMaxGpus || stop_.stop_requested()) break;
      OverviewGpu& made = out_.gpus.emplace_back();
      made.title = gpu.title;
      StepTimes sum;
      for (const TimeRange& window : base().windows) sum += gpu.ledger.times(window);
      made.mean = group_times(sum.mean(static_cast<std::int64_t>(base().windows.size())));
      made.parts.reserve(base().all.size());
      for (const FindingBase::Part& part : base().all)
        made.parts.push_back(group_times(gpu.ledger.times(part.range)));
      GpuUse use = use_of(gpu.process);
      for (const Utilization& each :
           utilizations(trace_, inputs.costs, work.of_process(trace_, gpu.process), base().windows, stop_))
        use.flops += each;
      made.utilization = utilization_section(trace_, use, known);
    }
  }

  GpuUse use_of(std::uint32_t process) const {
    GpuUse use;
    std::int64_t length_ns = 0;
    for (const TimeRange& window : base().windows) add_saturating(length_ns, window.length_ns());
    const auto busy = std::ranges::find(out_.summary.gpus, process, &BusyGpu::process);
    if (busy != out_.summary.gpus.end() && length_ns > 0)
      use.busy_share = static_cast<double>(busy->busy_ns) / static_cast<double>(length_ns);
    const auto metrics = std::ranges::find(out_.summary.metrics, process, &GpuMetrics::process);
    if (metrics != out_.summary.metrics.end()) use.metrics = &*metrics;
    return use;
  }

  void divide_cpu() {
    const SliceRoles& roles = parts_.roles(stop_);
    OverviewGpu cpu;
    GroupTimes sum;
    for (const TimeRange& window : base().windows) {
      const GroupTimes times = group_times(roles.split(window));
      for (std::size_t i = 0; i < kStepGroupCount; ++i)
        sum[static_cast<StepGroup>(i)] += times[static_cast<StepGroup>(i)];
    }
    if (sum.total() <= 0) return;
    // Round down, and give the rest to the last group with time, so that the groups add up to the mean.
    const auto count = static_cast<std::int64_t>(base().windows.size());
    for (std::size_t i = 0; i < kStepGroupCount; ++i)
      cpu.mean[static_cast<StepGroup>(i)] = sum[static_cast<StepGroup>(i)] / count;
    std::size_t last = kStepGroupCount - 1;
    while (sum[static_cast<StepGroup>(last)] == 0) --last;
    cpu.mean[static_cast<StepGroup>(last)] += sum.total() / count - cpu.mean.total();
    cpu.parts.reserve(base().all.size());
    for (const FindingBase::Part& part : base().all)
      cpu.parts.push_back(group_times(roles.split(part.range)));
    out_.gpus.push_back(std::move(cpu));
  }

  void sum_up_work() {
    if (base().kind == FindingBase::Kind::thread) return sum_up_cpu();
    WorkByName kernels(trace_);
    WorkByName operators(trace_);
    SliceSet counted(trace_.slice_count());
    for (const TimeRange& window : base().windows) {
      for (const StreamWork& stream : gpu_work_in(trace_, window, stop_).streams) {
        for (const SliceId slice : stream.slices) {
          const std::int64_t start_ns = trace_.start_ns(slice);
          const std::int64_t ns = clipped(window, start_ns, trace_.end_ns(slice)).length_ns();
          kernels.add(slice, ns, start_ns >= window.begin_ns);
          const SliceId op = operator_of(trace_, slice);
          if (op == kNoSlice) {
            operators.add_other(ns);
            continue;
          }
          operators.add(op, ns, !counted.contains(index_of(op)));
          counted.insert(index_of(op));
        }
      }
      if (stop_.stop_requested()) return;
    }
    if (kernels.top(1).rows.empty()) return sum_up_cpu();
    out_.kernels = kernels.top(base().windows.size());
    out_.operators = operators.top(base().windows.size());
  }

  /// Sums up operators by the time in which they are the innermost event of the attributed thread.
  void sum_up_cpu() {
    const TimeAttribution attribution(trace_, attributed_thread(trace_, stop_), stop_);
    if (attribution.of_gpu()) return;
    WorkByName operators(trace_);
    SliceSet counted(trace_.slice_count());
    for (const TimeRange& window : base().windows) {
      attribution.for_each(window,
                           [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory, SliceId slice) {
                             const std::int64_t ns = end_ns - begin_ns;
                             if (slice == kNoSlice || trace_.kind(slice) != SliceKind::cpu_op)
                               return operators.add_other(ns);
                             operators.add(slice, ns, !counted.contains(index_of(slice)));
                             counted.insert(index_of(slice));
                           });
      if (stop_.stop_requested()) return;
    }
    out_.operators = operators.top(base().windows.size());
  }

  void look_at_memory() {
    const std::vector<MemoryDevice>& devices = out_.summary.memory;
    out_.curve = memory_columns(trace_, devices, stop_);
    out_.memory = memory_section(trace_, devices, units_, stop_);
  }

  void draw_pictures() {
    out_.pictures.reserve(out_.summary.findings.list.size());
    for (const Finding& finding : out_.summary.findings.list) {
      out_.pictures.push_back(finding.examples.empty() ? ExamplePicture()
                                                       : example_picture(trace_, finding.examples.front()));
    }
  }

  const OperatorParts& parts_;
  const Trace& trace_;
  const ByteUnits units_;
  const std::stop_token& stop_;
  TraceOverview out_;
};

}  // namespace

TraceOverview trace_overview(const OperatorParts& parts, ByteUnits units, const std::stop_token& stop) {
  return OverviewMaker(parts, units, stop).run();
}

}  // namespace kino
