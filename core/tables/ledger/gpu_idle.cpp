#include "core/tables/ledger/gpu_idle.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/tables/compare/host_causes.hpp"
#include "core/tables/compare/step_rows.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/gpu/gpu_gaps.hpp"
#include "core/tables/ledger/host_activity.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/row_window.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

IdleReason reason_of(StepRow row) {
  switch (row) {
    case StepRow::idle_launch:
      return IdleReason::launching;
    case StepRow::idle_loader:
      return IdleReason::loader;
    case StepRow::idle_sync:
      return IdleReason::sync;
    case StepRow::idle_malloc:
      return IdleReason::malloc;
    case StepRow::idle_gc:
      return IdleReason::gc;
    case StepRow::idle_unknown:
      return IdleReason::unknown_launch;
    case StepRow::idle_tail:
      return IdleReason::tail;
    default:
      return IdleReason::late_launch;
  }
}

/// Whether the reason is unclear before the first work: its launch can be part of the start of the program.
bool depends_on_launch(IdleReason reason) {
  return reason == IdleReason::late_launch || reason == IdleReason::launching ||
         reason == IdleReason::unknown_launch;
}

/// Collects the parts of one GPU in order of time.
class IdleCollector {
 public:
  IdleCollector(TimeRange window, std::int64_t first_work_ns, bool unrecorded)
      : window_(window), first_work_ns_(first_work_ns), unrecorded_(unrecorded) {}

  void add(std::int64_t begin_ns, std::int64_t end_ns, StepRow row) {
    const TimeRange range = clipped(window_, begin_ns, end_ns);
    if (range.length_ns() <= 0) return;
    IdleReason reason = reason_of(row);
    if (range.end_ns <= first_work_ns_ && depends_on_launch(reason)) reason = IdleReason::before_first;
    if (unrecorded_) reason = IdleReason::unrecorded;
    append_range(gaps_, range);
    append_range(reasons_[static_cast<std::size_t>(reason)], range);
  }

  GpuIdle take(std::uint32_t process) {
    GpuIdle idle{process, BusyLine(gaps_), {}};
    for (std::size_t i = 0; i < kIdleReasonCount; ++i) {
      idle.reasons[i] = BusyLine(reasons_[i]);
      reasons_[i] = {};
    }
    return idle;
  }

 private:
  const TimeRange window_;
  const std::int64_t first_work_ns_;
  const bool unrecorded_;
  std::vector<TimeRange> gaps_;
  std::array<std::vector<TimeRange>, kIdleReasonCount> reasons_;
};

GpuIdle idle_of(const Trace& trace, std::uint32_t process, const TimeAttribution& times, IdleDivider divider,
                IdleCollector idle, const std::stop_token& stop) {
  const std::vector<AttributionPart>& parts = times.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (!is_idle(parts[i].cause)) continue;
    const std::int64_t end_ns =
        i + 1 < parts.size() ? parts[i + 1].begin_ns : std::max(parts[i].begin_ns, whole_range(trace).end_ns);
    // Each row ends where the next one begins.
    std::int64_t begin_ns = parts[i].begin_ns;
    StepRow row = StepRow::idle_tail;
    divider.divide(parts[i], end_ns, [&](std::int64_t next_ns, StepRow next_row) {
      idle.add(begin_ns, next_ns, row);
      begin_ns = next_ns;
      row = next_row;
    });
    idle.add(begin_ns, end_ns, row);
  }
  return idle.take(process);
}

}  // namespace

std::optional<GpuIdle::Part> GpuIdle::part_at(std::int64_t time_ns, Near& near) const {
  for (std::size_t i = 0; i < kIdleReasonCount; ++i) {
    if (reasons[i].empty()) continue;
    near[i] = reasons[i].first_after(time_ns, near[i]);
    if (near[i] >= reasons[i].size()) continue;
    const TimeRange range = reasons[i][near[i]];
    if (range.begin_ns <= time_ns) return Part{range, static_cast<IdleReason>(i)};
  }
  return std::nullopt;
}

std::vector<GpuIdle> gpu_idle(const Trace& trace, const std::stop_token& stop) {
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  if (work.streams.empty()) return {};
  const TimeRange window = gap_window(trace, work, find_steps(trace, stop), whole_range(trace));
  const bool unrecorded = count_launches(trace, whole_range(trace), stop).idle_unknown();
  const std::vector<SliceId> calls = find_blocking_calls(trace, stop);
  std::vector<GpuIdle> all;
  for (std::uint32_t process = 0; process < trace.processes.size(); ++process) {
    const std::span<const StreamWork> streams = work.of_process(trace, process);
    if (streams.empty()) continue;
    const TimeAttribution times(trace, streams, AttributedCollectives::of_libraries, stop);
    all.push_back(idle_of(trace, process, times, IdleDivider(trace, times, calls, stop),
                          IdleCollector(window, times.extent().begin_ns, unrecorded), stop));
    if (stop.stop_requested()) return {};
  }
  return all;
}

}  // namespace kino
