// What the launching thread did while a GPU waited for the host: the rows idle:sync to idle:silent.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/ledger/step_rows.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A time range of one row.
struct RowRange {
  TimeRange range;
  StepRow row = StepRow::idle_silent;
};

/// Returns the parts of the ledger's idle_host whose next work has a launch, by what the launching thread does: the
/// first that applies of idle_sync, idle_malloc, idle_gc, idle_lock, idle_dispatch, idle_python. In order, disjoint.
/// The rest of these parts is idle_silent. `calls`: see find_blocking_calls(). O(slices of launching threads + idle
/// parts). Unspecified if stopped.
std::vector<RowRange> host_activity(const Trace& trace, const TimeAttribution& ledger,
                                    std::span<const SliceId> calls, const std::stop_token& stop = {});

/// Whether an operator of this name only wraps Python code: compiled regions, autograd nodes, DistributedDataParallel.
bool is_wrapper(std::string_view op);

}  // namespace kino
