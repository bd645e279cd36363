#include "core/tables/ledger/step_ledger.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/ledger/host_activity.hpp"

namespace kino {
namespace {

/// The share of `need_ns` of a call with duration `total_ns` that belongs to `length_ns` of one of its kernels.
std::int64_t share_ns(double need_ns, std::int64_t length_ns, std::int64_t total_ns) {
  if (need_ns <= 0 || total_ns <= 0) return 0;
  const double share = need_ns * static_cast<double>(length_ns) / static_cast<double>(total_ns);
  return share >= static_cast<double>(length_ns) ? length_ns : static_cast<std::int64_t>(std::floor(share));
}

}  // namespace

LedgerInputs::LedgerInputs(const Trace& of, const OperatorTreePart& tree, const std::stop_token& stop)
    : trace(of), costs(of, tree, stop), waits(of, stop), calls(find_blocking_calls(of, stop)) {}

/// Refines the parts of a TimeAttribution, in order.
class StepLedgerBuilder {
 public:
  StepLedgerBuilder(const LedgerInputs& inputs, std::span<const StreamWork> streams, StepLedger& out,
                    const std::stop_token& stop)
      : inputs_(inputs),
        trace_(inputs.trace),
        out_(out),
        stop_(stop),
        ledger_(inputs.trace, streams, AttributedCollectives::of_libraries, stop),
        host_(host_activity(inputs.trace, ledger_, inputs.calls, stop)) {}

  void run() {
    out_.inputs_ = &inputs_;
    out_.extent_ = ledger_.extent();
    edges_.reserve(2 * ledger_.items().size());
    for (const SliceId work : ledger_.items()) {
      edges_.push_back(trace_.start_ns(work));
      edges_.push_back(trace_.end_ns(work));
    }
    std::ranges::sort(edges_);
    const std::vector<AttributionPart>& parts = ledger_.parts();
    out_.parts_.reserve(parts.size() + host_.size());
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
        return add_host(part, end_ns);
      case TimeCategory::idle_launch:
        return add(part.begin_ns, part.slice, StepRow::idle_launch);
      case TimeCategory::idle_loader:
        return add(part.begin_ns, part.slice, StepRow::idle_loader);
      case TimeCategory::idle_tail:
      case TimeCategory::cpu:
        return add(part.begin_ns, part.slice, StepRow::idle_tail);
    }
  }

  void add_kernel(const AttributionPart& part) {
    const WorkCosts::Piece* const piece = inputs_.costs.find(part.slice);
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

  /// Cuts a kernel's part where other work starts or ends, as each moment takes its share by itself.
  void cut_at_edges(StepPart part, std::int64_t end_ns) {
    if (part.call == WorkCosts::kNoCall) return;
    while (edge_ < edges_.size() && edges_[edge_] <= part.begin_ns) ++edge_;
    for (; edge_ < edges_.size() && edges_[edge_] < end_ns; ++edge_) {
      if (edges_[edge_] == part.begin_ns) continue;
      part.begin_ns = edges_[edge_];
      out_.parts_.push_back(part);
    }
  }

  void add_collective(const AttributionPart& part, std::int64_t end_ns) {
    const CollectiveSplit split = inputs_.waits.of(part.slice);
    if (split.p2p) return add(part.begin_ns, part.slice, StepRow::comm_p2p);
    const std::int64_t waits_until_ns = trace_.start_ns(part.slice) + split.wait_ns;
    if (waits_until_ns > part.begin_ns) add(part.begin_ns, part.slice, StepRow::comm_waiting);
    if (waits_until_ns < end_ns)
      add(std::max(part.begin_ns, waits_until_ns), part.slice, StepRow::comm_unsplit);
  }

  void add_host(const AttributionPart& part, std::int64_t end_ns) {
    if (part.slice == kNoSlice || trace_.link(part.slice) == kNoSlice)
      return add(part.begin_ns, part.slice, StepRow::idle_unknown);
    std::int64_t at_ns = part.begin_ns;
    while (host_at_ < host_.size() && host_[host_at_].range.end_ns <= at_ns) ++host_at_;
    for (std::size_t i = host_at_; i < host_.size() && host_[i].range.begin_ns < end_ns; ++i) {
      const std::int64_t begin_ns = std::max(host_[i].range.begin_ns, at_ns);
      if (begin_ns > at_ns) add(at_ns, part.slice, StepRow::idle_silent);
      add(begin_ns, part.slice, host_[i].row);
      at_ns = std::min(host_[i].range.end_ns, end_ns);
    }
    if (at_ns < end_ns) add(at_ns, part.slice, StepRow::idle_silent);
  }

  const LedgerInputs& inputs_;
  const Trace& trace_;
  StepLedger& out_;
  const std::stop_token& stop_;
  TimeAttribution ledger_;
  std::vector<RowRange> host_;
  std::size_t host_at_ = 0;          // the first that may reach into the next part
  std::vector<std::int64_t> edges_;  // starts and ends of all work, in order
  std::size_t edge_ = 0;             // the first behind the last kernel's part
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
  std::vector<GpuLedger> ledgers;
  for (std::uint32_t process = 0; process < trace.processes.size(); ++process) {
    const std::span<const StreamWork> streams = work.of_process(trace, process);
    if (streams.empty()) continue;
    ledgers.push_back({process, trace.processes[process].pid, StepLedger(inputs, streams, stop)});
  }
  return ledgers;
}

}  // namespace kino
