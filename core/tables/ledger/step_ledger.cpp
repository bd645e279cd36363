#include "core/tables/ledger/step_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/base/run_merge_sort.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/ledger/host_activity.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

/// Returns the share of `need_ns` for `length_ns` of a call's kernel, if all kernels of the call take
/// `total_ns`. Rounded down, at most `length_ns`.
std::int64_t share_ns(double need_ns, std::int64_t length_ns, std::int64_t total_ns) {
  if (need_ns <= 0 || total_ns <= 0) return 0;
  const double share = need_ns * static_cast<double>(length_ns) / static_cast<double>(total_ns);
  return share >= static_cast<double>(length_ns) ? length_ns : static_cast<std::int64_t>(std::floor(share));
}

}  // namespace

LedgerInputs::LedgerInputs(const Trace& source, const OperatorTreePart& tree, const std::stop_token& stop)
    : trace(source) {
  parallel_for(thread_count_or_default(0), 2, {}, [&](std::size_t task, unsigned) {
    if (task == 0) {
      costs = WorkCosts(source, tree, stop);
    } else {
      waits = CollectiveWaits(source, stop);
      calls = find_blocking_calls(source, stop);
    }
  });
}

/// Builds a StepLedger: divides each part of a TimeAttribution into parts with rows, in order.
class StepLedgerBuilder {
 public:
  StepLedgerBuilder(const LedgerInputs& inputs, std::span<const StreamWork> streams, StepLedger& out,
                    const std::stop_token& stop)
      : inputs_(inputs),
        trace_(inputs.trace),
        out_(out),
        stop_(stop),
        ledger_(inputs.trace, streams, AttributedCollectives::of_libraries, stop),
        idle_(inputs.trace, ledger_, inputs.calls, stop) {}

  void run() {
    out_.inputs_ = &inputs_;
    out_.extent_ = ledger_.extent();
    ends_.reserve(ledger_.items().size());
    for (const SliceId work : ledger_.items()) ends_.push_back(trace_.end_ns(work));
    run_merge_sort(ends_.data(), ends_.size(), std::less<>());
    const std::vector<AttributionPart>& parts = ledger_.parts();
    out_.parts_.reserve(parts.size() + idle_.ranges());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      const std::int64_t end_ns = i + 1 < parts.size() ? parts[i + 1].begin_ns : parts[i].begin_ns;
      const std::size_t first = out_.parts_.size();
      refine(parts[i], end_ns);
      if (parts[i].cause == TimeCategory::compute) cut_at_edges(out_.parts_[first], end_ns);
    }
  }

 private:
  void add(std::int64_t begin_ns, SliceId slice, StepRow row, std::uint32_t call = WorkCosts::kNoCall) {
    out_.parts_.push_back({begin_ns, slice, row, call});
  }

  void refine(const AttributionPart& part, std::int64_t end_ns) {
    switch (part.cause) {
      case TimeCategory::compute:
        return add_kernel(part);
      case TimeCategory::comm:
        return add_collective(part, end_ns);
      case TimeCategory::copy:
        return add(part.begin_ns, part.slice, StepRow::copy);
      case TimeCategory::idle_host:
      case TimeCategory::idle_launch:
      case TimeCategory::idle_loader:
      case TimeCategory::idle_tail:
      case TimeCategory::cpu:
        return idle_.divide(part, end_ns,
                            [&](std::int64_t begin_ns, StepRow row) { add(begin_ns, part.slice, row); });
    }
  }

  void add_kernel(const AttributionPart& part) {
    const WorkCosts::Piece* const piece = inputs_.costs.find(part.slice, piece_);
    if (piece == nullptr) return add(part.begin_ns, part.slice, StepRow::kernel_other);
    const CallCost* const cost = inputs_.costs.cost(*piece);
    switch (piece->work_class) {
      case WorkClass::matrix:
        if (cost == nullptr || cost->model_peak_ns < 0)
          return add(part.begin_ns, part.slice, StepRow::matrix_unknown);
        return add(part.begin_ns, part.slice, StepRow::matrix_loss, piece->call);
      case WorkClass::memory:
        if (cost == nullptr || cost->memory_ns < 0)
          return add(part.begin_ns, part.slice, StepRow::memory_unknown);
        return add(part.begin_ns, part.slice, StepRow::memory_loss, piece->call);
      case WorkClass::recompute:
        return add(part.begin_ns, part.slice, StepRow::recompute);
      case WorkClass::optimizer:
        return add(part.begin_ns, part.slice, StepRow::optimizer);
      case WorkClass::other:
        return add(part.begin_ns, part.slice, StepRow::kernel_other);
    }
  }

  /// Cuts a kernel's part where other work starts or ends, because the shares of each piece are rounded
  /// separately.
  void cut_at_edges(StepPart part, std::int64_t end_ns) {
    if (part.call == WorkCosts::kNoCall) return;
    for (std::int64_t edge_ns = edge_after(part.begin_ns); edge_ns < end_ns; edge_ns = edge_after(edge_ns)) {
      part.begin_ns = edge_ns;
      out_.parts_.push_back(part);
    }
  }
  /// Returns the first start or end of work after a time. Times must not decrease from call to call.
  std::int64_t edge_after(std::int64_t time_ns) {
    const std::vector<SliceId>& items = ledger_.items();
    while (start_ < items.size() && trace_.start_ns(items[start_]) <= time_ns) ++start_;
    while (end_ < ends_.size() && ends_[end_] <= time_ns) ++end_;
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    return std::min(start_ < items.size() ? trace_.start_ns(items[start_]) : kNever,
                    end_ < ends_.size() ? ends_[end_] : kNever);
  }

  void add_collective(const AttributionPart& part, std::int64_t end_ns) {
    for_each_row(inputs_.waits.of(part.slice), trace_.start_ns(part.slice), {part.begin_ns, end_ns},
                 [&](TimeRange range, StepRow row) { add(range.begin_ns, part.slice, row); });
  }

  const LedgerInputs& inputs_;
  const Trace& trace_;
  StepLedger& out_;
  const std::stop_token& stop_;
  TimeAttribution ledger_;
  IdleDivider idle_;
  std::vector<std::int64_t> ends_;  // sorted ends of all work
  std::size_t start_ = 0;           // first work that starts after the last edge
  std::size_t end_ = 0;             // first of ends_ after the last edge
  std::size_t piece_ = 0;           // see WorkCosts::find()
};

StepLedger::StepLedger(const LedgerInputs& inputs, std::span<const StreamWork> streams,
                       const std::stop_token& stop) {
  StepLedgerBuilder(inputs, streams, *this, stop).run();
  if (stop.stop_requested()) *this = StepLedger(inputs, {});
}

std::size_t StepLedger::first_at(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(parts_, time_ns, {}, &StepPart::begin_ns);
  return after == parts_.begin() ? 0 : static_cast<std::size_t>(after - parts_.begin()) - 1;
}

void StepLedger::divide(const StepPart& part, std::int64_t length_ns, StepTimes& times) const {
  if (part.call == WorkCosts::kNoCall) {
    times[part.row] += length_ns;
    return;
  }
  const CallCost& cost = inputs_->costs.calls()[part.call];
  std::int64_t rest_ns = length_ns;
  const auto take = [&](StepRow row, double need_ns) {
    const std::int64_t taken_ns = std::min(rest_ns, share_ns(need_ns, length_ns, cost.device_ns));
    times[row] += taken_ns;
    rest_ns -= taken_ns;
  };
  if (part.row == StepRow::matrix_loss) {
    take(StepRow::matrix_peak, cost.model_peak_ns);
    take(StepRow::matrix_memory, cost.memory_ns - cost.model_peak_ns);
  } else {
    take(StepRow::memory_roof, cost.memory_ns);
  }
  times[part.row] += rest_ns;
}

StepTimes StepLedger::times(TimeRange window) const {
  StepTimes times;
  for_each(window, [&](TimeRange range, const StepPart& part) { divide(part, range.length_ns(), times); });
  return times;
}

std::vector<GpuLedger> gpu_ledgers(const LedgerInputs& inputs, const std::stop_token& stop) {
  const Trace& trace = inputs.trace;
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  std::vector<std::uint32_t> processes;  // GPUs with work
  for (std::uint32_t process = 0; process < trace.processes.size(); ++process) {
    if (!work.of_process(trace, process).empty()) processes.push_back(process);
  }
  std::vector<GpuLedger> ledgers(processes.size());
  parallel_for(thread_count_or_default(0), processes.size(), {}, [&](std::size_t i, unsigned) {
    const std::uint32_t process = processes[i];
    ledgers[i] = {process, trace.processes[process].pid, unique_process_title(trace, process),
                  StepLedger(inputs, work.of_process(trace, process), stop)};
  });
  return ledgers;
}

}  // namespace kino
