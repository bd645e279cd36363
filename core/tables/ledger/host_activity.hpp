// Divides the time in which a GPU waits for the host, by the activity of the launching thread: the rows
// idle:sync to idle:silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/tables/compare/step_rows.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A time range of one row.
struct RowRange {
  TimeRange range;
  StepRow row = StepRow::idle_silent;
};

/// Returns the ranges of the ledger's idle_host parts in which the activity of the launching thread is
/// known. Parts whose next work has no recorded launch are left out. If several rows apply, the first of
/// idle_sync, idle_malloc, idle_gc, idle_lock, idle_dispatch and idle_python is used. Sorted and disjoint.
/// The rest of these parts is idle_silent. `calls`: see find_blocking_calls(). O(slices of launching threads
/// + idle parts).
std::vector<RowRange> host_activity(const Trace& trace, const TimeAttribution& ledger,
                                    std::span<const SliceId> calls, const std::stop_token& stop = {});

/// Divides the idle parts of a TimeAttribution into rows of the ledger.
class IdleDivider {
 public:
  /// `trace` must outlive the object. `calls`: see find_blocking_calls().
  IdleDivider(const Trace& trace, const TimeAttribution& ledger, std::span<const SliceId> calls,
              const std::stop_token& stop = {})
      : trace_(trace), host_(host_activity(trace, ledger, calls, stop)) {}

  std::size_t ranges() const { return host_.size(); }
  /// Calls visit(begin_ns, row) for each row of an idle part that ends at `end_ns`, in order. Parts must be
  /// passed in order of time.
  template <class Visit>
  void divide(const AttributionPart& part, std::int64_t end_ns, Visit&& visit) {
    if (part.cause == TimeCategory::idle_launch) return visit(part.begin_ns, StepRow::idle_launch);
    if (part.cause == TimeCategory::idle_loader) return visit(part.begin_ns, StepRow::idle_loader);
    if (part.cause != TimeCategory::idle_host) return visit(part.begin_ns, StepRow::idle_tail);
    if (part.slice == kNoSlice || trace_.link(part.slice) == kNoSlice)
      return visit(part.begin_ns, StepRow::idle_unknown);
    std::int64_t at_ns = part.begin_ns;
    while (next_ < host_.size() && host_[next_].range.end_ns <= at_ns) ++next_;
    for (std::size_t i = next_; i < host_.size() && host_[i].range.begin_ns < end_ns; ++i) {
      const std::int64_t begin_ns = host_[i].range.begin_ns > at_ns ? host_[i].range.begin_ns : at_ns;
      if (begin_ns > at_ns) visit(at_ns, StepRow::idle_silent);
      visit(begin_ns, host_[i].row);
      at_ns = host_[i].range.end_ns < end_ns ? host_[i].range.end_ns : end_ns;
    }
    if (at_ns < end_ns) visit(at_ns, StepRow::idle_silent);
  }

 private:
  const Trace& trace_;
  std::vector<RowRange> host_;
  std::size_t next_ = 0;  // first range of host_ that may overlap the next part
};

/// Returns whether an operator of this name only wraps other code, such as compiled regions, autograd nodes,
/// DistributedDataParallel and optimizers.
bool is_wrapper(std::string_view op);

}  // namespace kino
