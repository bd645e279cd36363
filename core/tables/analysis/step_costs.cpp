#include "core/tables/analysis/step_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/duration_list.hpp"
#include "core/base/parallel.hpp"
#include "core/base/slice_set.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/analysis/finding_examples.hpp"
#include "core/tables/analysis/idle_calls.hpp"
#include "core/tables/analysis/start_up.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/median.hpp"
#include "core/tables/compare/run_record.hpp"
#include "core/tables/gpu/idle_gaps.hpp"
#include "core/tables/gpu/kernel_outliers.hpp"
#include "core/tables/gpu/step_choice.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/links/busy_time.hpp"
#include "core/trace/links/doubtful_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

constexpr double kSlowStep = 1.25;  // ratio to the median above which a step is slow
constexpr std::size_t kMinSteps = 3;
constexpr std::int64_t kLongNs = 100'000;  // far beyond the delay of a launch

constexpr std::size_t kind_index(FindingKind kind) { return static_cast<std::size_t>(kind); }

std::int64_t median_of_lengths(const std::vector<TimeRange>& windows) {
  std::vector<double> lengths;
  lengths.reserve(windows.size());
  for (const TimeRange& window : windows) lengths.push_back(static_cast<double>(window.length_ns()));
  return static_cast<std::int64_t>(median_of(std::move(lengths)));
}

class CostFinder {
 public:
  CostFinder(const GpuParts& parts, const std::stop_token& stop)
      : parts_(parts), trace_(parts.trace()), stop_(stop) {}

  StepCosts run() {
    ledger_ = TimeAttribution(trace_, attributed_thread(trace_, stop_), stop_, AttributedCollectives::all);
    out_.of_gpu = ledger_.of_gpu();
    find_windows();
    out_.gpus = gpu_launches(trace_, stop_);
    calls_ = find_blocking_calls(trace_, stop_);
    const std::vector<DoubtfulWork> doubtful = doubtful_work(trace_, stop_);
    for (const DoubtfulWork& work : doubtful) doubtful_.insert(work.slice);
    out_.doubtful_ns = doubtful_ns(trace_, doubtful, out_.base.windows);
    host_ = HostCauses(trace_, ledger_, calls_, stop_);
    captured_ = captured_work(trace_, stop_);
    capturing_ = BusyLine(captured_.times);
    if (out_.of_gpu) {
      start_up_ = StartUp(trace_, calls_, stop_);
      recomputed_ = recomputed_work(trace_, ledger_.items(), stop_);
    } else {
      out_.cpu_ns.assign(trace_.names.size(), 0);
    }
    find_moves();
    if (stop_.stop_requested()) return {};
    out_.by_part.resize(out_.base.all.size());
    sum_up_windows();
    if (!out_.of_gpu) add_loader_of_thread();
    for (std::size_t kind = 0; kind < kFindingKindCount; ++kind) {
      std::vector<FindingExample>& examples = out_.costs[kind].examples;
      examples = examples_[kind].take();
      if (examples.empty()) examples = minor_examples_[kind].take();
    }
    StepCost& copies = out_[FindingKind::copies];
    StepCost& comm = out_[FindingKind::exposed_communication];
    out_.copy_name = name_at(by_copy_.most(copies.ns));
    out_.comm_name = name_at(by_comm_.most(comm.ns));
    copies.examples = by_copy_.take(copies.ns);
    comm.examples = by_comm_.take(comm.ns);
    name_idle_calls(trace_, calls_, out_, stop_);
    find_start_up();
    find_slow_steps();
    find_outliers();
    sum_up_launches();
    if (stop_.stop_requested()) return {};
    return with_unused_parts();
  }

 private:
  /// Returns the name; empty if the index is out of range, as in a trace without names.
  std::string_view name_at(std::uint32_t name) const {
    return name < trace_.names.size() ? std::string_view(trace_.names[name]) : std::string_view();
  }

  /// Idle time before one piece of work.
  struct Gap {
    TimeRange range;
    SliceId after = kNoSlice;
    std::array<std::int64_t, kFindingKindCount> ns{};
    std::array<TimeRange, kFindingKindCount> parts{};  ///< by kind, from the first to the last of its time

    /// Adds time of a kind within `part`. Parts are added in order of time.
    void add(FindingKind kind, TimeRange part, std::int64_t part_ns) {
      if (part_ns <= 0) return;
      TimeRange& all = parts[kind_index(kind)];
      if (ns[kind_index(kind)] == 0) all.begin_ns = part.begin_ns;
      all.end_ns = part.end_ns;
      ns[kind_index(kind)] += part_ns;
    }
  };

  void find_windows() {
    FindingBase& base = out_.base;
    steps_ = find_steps(trace_, stop_);
    base.steps = steps_.steps.size();
    if (const std::optional<std::size_t> step = parts_.step()) {
      const StepWindow& window = parts_.steps(stop_)[*step];
      base.kind = FindingBase::Kind::step;
      base.windows.push_back(window.range);
      base.names.push_back(window.name);
      base.all.push_back({window.range, window.name, window.slice, true});
    } else if (parts_.range() != whole_range(trace_)) {
      base.windows.push_back(parts_.range());
      base.all.push_back({.range = parts_.range()});
    } else {
      add_used_steps();
    }
    for (const TimeRange& window : base.windows) out_.total_ns += window.length_ns();
    if (!base.windows.empty()) base.mean_ns = out_.total_ns / static_cast<std::int64_t>(base.windows.size());
  }

  void add_used_steps() {
    FindingBase& base = out_.base;
    const StepChoice choice = choose_steps(trace_, steps_, stop_);
    const std::vector<TimeRange> ranges = step_ranges(steps_);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].length_ns() <= 0) continue;
      const std::string name = std::to_string(steps_.steps[i].number);
      const bool used = is_used(choice.uses[i]);
      if (base.all.size() < FindingBase::kMaxParts)
        base.all.push_back({ranges[i], name, steps_.steps[i].slice, used});
      if (!used) continue;
      base.windows.push_back(ranges[i]);
      base.names.push_back(name);
    }
    base.kind = FindingBase::Kind::steps;
    if (!steps_.steps.empty()) return;
    base.kind = ledger_.of_gpu() ? FindingBase::Kind::gpu_window : FindingBase::Kind::thread;
    if (ledger_.extent().length_ns() <= 0) return;
    base.windows.push_back(ledger_.extent());
    base.all.push_back({.range = ledger_.extent()});
  }

  /// Calls body(index, part of `range`) for each part of the base that the range overlaps. O(log parts).
  template <class Body>
  void for_parts(TimeRange range, Body&& body) const {
    const std::vector<FindingBase::Part>& all = out_.base.all;
    auto part = std::ranges::upper_bound(all, range.begin_ns, {},
                                         [](const FindingBase::Part& each) { return each.range.end_ns; });
    for (; part != all.end() && part->range.begin_ns < range.end_ns; ++part) {
      const TimeRange overlap = clipped(part->range, range.begin_ns, range.end_ns);
      if (overlap.length_ns() > 0) body(static_cast<std::size_t>(part - all.begin()), overlap);
    }
  }

  /// Sums up a window. Returns its times by kind.
  PartCosts costs_within(TimeRange window) {
    PartCosts before{};
    for (std::size_t kind = 0; kind < kFindingKindCount; ++kind) before[kind] = out_.costs[kind].ns;
    sum_up(window);
    PartCosts own{};
    for (std::size_t kind = 0; kind < kFindingKindCount; ++kind)
      own[kind] = out_.costs[kind].ns - before[kind];
    return own;
  }

  /// Sums up all windows. The used parts of the base are its first windows, in the same order.
  void sum_up_windows() {
    std::size_t part = 0;
    const std::vector<FindingBase::Part>& all = out_.base.all;
    for (const TimeRange& window : out_.base.windows) {
      const PartCosts own = costs_within(window);
      while (part < all.size() && !all[part].used) ++part;
      if (part < all.size()) out_.by_part[part++] = own;
    }
  }

  /// Returns the result with the times of unused parts. Sums them up in another result, which is discarded.
  StepCosts with_unused_parts() {
    StepCosts done = std::exchange(out_, {});
    out_.of_gpu = done.of_gpu;
    out_.cpu_ns.resize(done.cpu_ns.size());
    for (std::size_t i = 0; i < done.base.all.size(); ++i) {
      if (done.base.all[i].used) continue;
      const PartCosts own = costs_within(done.base.all[i].range);
      for (std::size_t kind = 0; kind < kFindingKindCount; ++kind) done.by_part[i][kind] += own[kind];
    }
    return done;
  }

  /// Sets moves_end_ns_ to the start of the first kernel, unless the trace has steps or fewer than 100
  /// kernels.
  void find_moves() {
    constexpr std::size_t kMinKernels = 100;
    if (!out_.of_gpu || !steps_.steps.empty()) return;
    std::size_t kernels = 0;
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    for (const SliceId item : ledger_.items()) {
      const SliceKind kind = trace_.kind(item);
      if (kind != SliceKind::compute && kind != SliceKind::communication) continue;
      ++kernels;
      first_ns = std::min(first_ns, trace_.start_ns(item));
    }
    if (kernels >= kMinKernels) moves_end_ns_ = first_ns;
  }

  void add_cost(FindingKind kind, std::int64_t ns) {
    out_[kind].ns += ns;
    if (ns >= kLongNs) out_[kind].long_ns += ns;
  }
  void add(FindingKind kind, std::int64_t ns, const FindingExample& example) {
    add_cost(kind, ns);
    examples_[kind_index(kind)].add(example);
  }

  void sum_up(TimeRange window) {
    Gap gap;
    CauseTimes causes{};
    ledger_.for_each(
        window, [&](std::int64_t begin_ns, std::int64_t end_ns, TimeCategory cause, SliceId slice) {
          const std::int64_t ns = end_ns - begin_ns;
          causes[static_cast<std::size_t>(cause)] += ns;
          if (cause == TimeCategory::compute) out_.compute_ns += ns;
          if (is_idle(cause) && cause != TimeCategory::idle_tail) {
            if (gap.range.length_ns() == 0 || gap.after != slice || gap.range.end_ns != begin_ns) {
              close(gap);
              gap = {{begin_ns, begin_ns}, slice, {}, {}};
            }
            gap.range.end_ns = end_ns;
            add_idle(gap, {begin_ns, end_ns}, cause);
            return;
          }
          if (cause == TimeCategory::cpu && slice != kNoSlice)
            out_.cpu_ns[index_of(trace_.name(slice))] += ns;
          if (slice == kNoSlice || cause == TimeCategory::cpu || doubtful_.contains(slice)) return;
          const TimeRange work = trace_.range_of(slice);
          if (cause == TimeCategory::compute && recomputed_.contains(index_of(slice)))
            add(FindingKind::recompute, ns, {work, ns, slice});
          const std::uint32_t name = index_of(trace_.name(slice));
          if (cause == TimeCategory::comm) {
            out_[FindingKind::exposed_communication].ns += ns;
            by_comm_.add(name, {work, ns, slice});
          }
          if (cause == TimeCategory::copy) {
            out_[FindingKind::copies].ns += ns;
            if (begin_ns < moves_end_ns_) {
              out_.copies_before_kernels_ns += std::min(end_ns, moves_end_ns_) - begin_ns;
              ++out_.copies_before_kernels;
            }
            by_copy_.add(name, {work, ns, slice});
          }
        });
    close(gap);
    out_.causes.push_back(causes);
  }

  void add_idle(Gap& gap, TimeRange part, TimeCategory cause) {
    const std::int64_t ns = part.length_ns();
    if (cause == TimeCategory::idle_loader) {
      gap.add(FindingKind::data_loading, part, ns);
      return;
    }
    const SliceId launch = gap.after == kNoSlice ? kNoSlice : trace_.link(gap.after);
    if (cause == TimeCategory::idle_launch) {
      // Until the launch call returns, the GPU waits for a late launch. After that, the launched work waits.
      const std::int64_t launched_ns = launched_at(trace_, gap.after, part.begin_ns, part.end_ns);
      gap.add(FindingKind::launch_bound, {part.begin_ns, launched_ns}, launched_ns - part.begin_ns);
      gap.add(FindingKind::launch_gaps, {launched_ns, part.end_ns}, part.end_ns - launched_ns);
      out_.launch_start_up.ns += start_up_.launching_ns({part.begin_ns, launched_ns});
      return;
    }
    if (launch == kNoSlice) {
      out_.unknown_idle_ns += ns;
      return;
    }
    HostTimes host = host_.times(part, ns);
    // A capture launches nothing, so the next work is not late.
    std::int64_t& other = host[static_cast<std::size_t>(HostCause::other)];
    const std::int64_t capturing = std::min(other, capturing_.covered(part.begin_ns, part.end_ns));
    other -= capturing;
    out_.capturing_ns += capturing;
    const auto add_host = [&](HostCause host_cause, FindingKind kind) {
      gap.add(kind, part, host[static_cast<std::size_t>(host_cause)]);
    };
    add_host(HostCause::synchronize, FindingKind::waiting);
    add_host(HostCause::allocate, FindingKind::driver_memory);
    add_host(HostCause::collect, FindingKind::garbage_collection);
    add_host(HostCause::lock, FindingKind::launch_bound);
    add_host(HostCause::other, FindingKind::launch_bound);
    out_.launch_start_up.ns += std::min(other, start_up_.launching_ns(part));
    out_.memory_start_up.ns +=
        std::min(host[static_cast<std::size_t>(HostCause::allocate)], start_up_.memory_ns(part));
    out_.untraced_ns += std::min(other, start_up_.untraced_ns(part));
  }

  void close(const Gap& gap) {
    if (gap.range.end_ns <= moves_end_ns_)
      out_.launches_before_kernels_ns += gap.ns[kind_index(FindingKind::launch_bound)];
    for (std::size_t i = 0; i < kFindingKindCount; ++i) {
      if (gap.ns[i] <= 0) continue;
      const auto kind = static_cast<FindingKind>(i);
      const FindingExample example{gap.range, gap.ns[i], gap.after, gap.parts[i]};
      // The table of gaps names only the cause of most of a gap.
      const bool by_launch = kind == FindingKind::launch_bound || kind == FindingKind::launch_gaps;
      const bool minor = by_launch && gap.ns[i] < gap.range.length_ns() - gap.ns[i];
      if (minor) {
        add_cost(kind, gap.ns[i]);
        minor_examples_[i].add(example);
      } else {
        add(kind, gap.ns[i], example);
      }
    }
  }

  /// Adds data loading for traces without GPU work: the time that the step's thread spends in the data
  /// loader.
  void add_loader_of_thread() {
    for (const SliceId slice : ledger_.items()) {
      if (!is_data_loading(trace_.name_of(slice)) || is_inside_loader(slice)) continue;
      const TimeRange call = trace_.range_of(slice);
      std::int64_t ns = 0;
      for (const TimeRange& window : out_.base.windows)
        ns += std::max<std::int64_t>(0, clipped(window, call.begin_ns, call.end_ns).length_ns());
      add(FindingKind::data_loading, ns, {call, ns, slice});
      for_parts(call, [&](std::size_t part, TimeRange overlap) {
        out_.by_part[part][kind_index(FindingKind::data_loading)] += overlap.length_ns();
      });
    }
  }
  bool is_inside_loader(SliceId slice) const {
    for (SliceId at = trace_.parent(slice); at != kNoSlice; at = trace_.parent(at)) {
      if (is_data_loading(trace_.name_of(at))) return true;
    }
    return false;
  }

  /// Finds the start-up calls with the most time. Among nested calls, the innermost one with at least half of
  /// the time is used.
  void find_start_up() {
    std::int64_t launch_ns = 0;
    std::int64_t memory_ns = 0;
    const auto take = [&](StartUpCost& cost, std::int64_t& most_ns, SliceId call, std::int64_t ns) {
      const bool inner = cost.longest != kNoSlice && trace_.end_ns(call) <= trace_.end_ns(cost.longest);
      if (ns <= 0 || (ns <= most_ns && !(inner && 2 * ns >= most_ns))) return;
      most_ns = ns;
      cost.longest = call;
    };
    for (const SliceId call : start_up_.calls()) {
      take(out_.launch_start_up, launch_ns, call,
           in_windows(call, [&](TimeRange part) { return start_up_.launching_ns(part); }));
    }
    for (const SliceId call : calls_) {
      if (start_up_.memory_ns(trace_.range_of(call)) == 0) continue;
      take(out_.memory_start_up, memory_ns, call,
           in_windows(call, [&](TimeRange part) { return start_up_.memory_ns(part); }));
    }
    // Memory calls within a first call belong to FindingKind::driver_memory.
    if (const SliceId call = out_.launch_start_up.longest; call != kNoSlice)
      out_.launch_start_up.longest_ns = start_up_.launching_ns(trace_.range_of(call));
    if (const SliceId call = out_.memory_start_up.longest; call != kNoSlice)
      out_.memory_start_up.longest_ns = start_up_.memory_ns(trace_.range_of(call));
  }

  template <class Measure>
  std::int64_t in_windows(SliceId call, Measure&& measure) const {
    std::int64_t ns = 0;
    for (const TimeRange& window : out_.base.windows) {
      const TimeRange part = clipped(window, trace_.start_ns(call), trace_.end_ns(call));
      if (part.length_ns() > 0) ns += measure(part);
    }
    return ns;
  }

  void find_slow_steps() {
    const std::vector<TimeRange>& windows = out_.base.windows;
    if (windows.size() < kMinSteps) return;
    const std::int64_t median = median_of_lengths(windows);
    StepCost& cost = out_[FindingKind::slow_step];
    const auto excess_of = [median](TimeRange window) {
      const std::int64_t excess = window.length_ns() - median;
      const bool slow = static_cast<double>(excess) > (kSlowStep - 1) * static_cast<double>(median);
      return slow ? excess : 0;
    };
    for (std::size_t i = 0; i < out_.base.all.size(); ++i)
      out_.by_part[i][kind_index(FindingKind::slow_step)] = excess_of(out_.base.all[i].range);
    std::int64_t least_away = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::int64_t excess = excess_of(windows[i]);
      if (excess == 0) {
        const std::int64_t away = std::abs(windows[i].length_ns() - median);
        if (away < least_away && i < out_.base.names.size()) {
          least_away = away;
          out_.usual_step = out_.base.names[i];
        }
        continue;
      }
      cost.ns += excess;
      const auto step = std::ranges::find(steps_.steps, windows[i].end_ns,
                                          [](const Step& marked) { return marked.range.end_ns; });
      cost.examples.push_back({windows[i], excess, step == steps_.steps.end() ? kNoSlice : step->slice});
    }
    out_.slow_steps = cost.examples.size();
    keep_largest(cost.examples);
  }

  void find_outliers() {
    if (!out_.of_gpu) return;
    StepCost& cost = out_[FindingKind::outliers];
    std::vector<TimeRange> lost;
    std::vector<TimeRange> excesses;  // also outside of the windows
    for (const KernelOutlier& outlier : parts_.outliers(stop_)) {
      if (doubtful_.contains(outlier.slice)) continue;
      const std::int64_t end_ns = trace_.end_ns(outlier.slice);
      std::int64_t ns = 0;
      excesses.push_back({end_ns - outlier.excess_ns(), end_ns});
      for (const TimeRange& window : out_.base.windows) {
        const TimeRange part = clipped(window, end_ns - outlier.excess_ns(), end_ns);
        if (part.length_ns() <= 0) continue;
        ns += part.length_ns();
        lost.push_back(part);
      }
      if (ns > 0) cost.examples.push_back({trace_.range_of(outlier.slice), ns, outlier.slice});
    }
    cost.ns = length_of(united(std::move(lost)));
    const std::vector<TimeRange> all_excess = united(std::move(excesses));
    for (const TimeRange& excess : all_excess) {
      for_parts(excess, [&](std::size_t part, TimeRange overlap) {
        out_.by_part[part][kind_index(FindingKind::outliers)] += overlap.length_ns();
      });
    }
    out_.outliers = cost.examples.size();
    keep_largest(cost.examples);
  }

  /// Whether a call overlaps a window. The first launch often starts before the GPU's window.
  bool is_in_windows(SliceId call) const {
    const std::vector<TimeRange>& windows = out_.base.windows;
    const std::int64_t start_ns = trace_.start_ns(call);
    const auto after = std::ranges::upper_bound(windows, start_ns, {}, &TimeRange::begin_ns);
    if (after != windows.begin() && start_ns < (after - 1)->end_ns) return true;
    return after != windows.end() && trace_.end_ns(call) > after->begin_ns;
  }
  static LaunchCost cost_of(std::vector<std::int64_t> durations) {
    const DurationStats spread = duration_stats(durations);
    return {spread.count, spread.total_ns, spread.median_ns, spread.max_ns};
  }

  void sum_up_launches() {
    const LaunchCalls calls(trace_);
    std::vector<std::int64_t> kernels;
    std::vector<std::int64_t> graphs;
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      if (trace_.slices.kind[i] != SliceKind::runtime) continue;
      // Count only launches of kernels and graphs: a call that copies may last as long as the copy itself.
      const LaunchKind kind = calls.kind_of(SliceId{i});
      if (kind != LaunchKind::kernel && kind != LaunchKind::graph) continue;
      if (std::ranges::binary_search(captured_.launches, SliceId{i})) continue;
      if (!is_in_windows(SliceId{i})) continue;
      (kind == LaunchKind::graph ? graphs : kernels).push_back(trace_.slices.duration_ns[i]);
    }
    out_.kernel_launches = cost_of(std::move(kernels));
    out_.graph_launches = cost_of(std::move(graphs));
  }

  const GpuParts& parts_;
  const Trace& trace_;
  const std::stop_token& stop_;
  StepCosts out_;
  Steps steps_;
  TimeAttribution ledger_;
  std::vector<SliceId> calls_;
  std::set<SliceId> doubtful_;  // work with implausible durations
  HostCauses host_;
  CapturedWork captured_;
  BusyLine capturing_;
  std::int64_t moves_end_ns_ = std::numeric_limits<std::int64_t>::min();  // see find_moves()
  StartUp start_up_;
  SliceSet recomputed_;
  std::array<TopExamples, kFindingKindCount> examples_;
  std::array<TopExamples, kFindingKindCount> minor_examples_;  // gaps mostly due to other kinds
  CostsByName by_comm_;
  CostsByName by_copy_;
};

}  // namespace

const StartUpCost* StepCosts::start_up(FindingKind kind) const {
  if (kind == FindingKind::launch_bound) return &launch_start_up;
  return kind == FindingKind::driver_memory ? &memory_start_up : nullptr;
}

std::int64_t StepCosts::before_kernels_ns(FindingKind kind) const {
  if (kind == FindingKind::copies) return copies_before_kernels_ns;
  return kind == FindingKind::launch_bound ? launches_before_kernels_ns : 0;
}

CauseTimes StepCosts::cause_sums() const {
  CauseTimes sums{};
  for (const CauseTimes& window : causes) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += window[i];
  }
  return sums;
}

StepCosts step_costs(const GpuParts& parts, const std::stop_token& stop) {
  return CostFinder(parts, stop).run();
}

}  // namespace kino
