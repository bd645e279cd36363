// Advice on findings: one fix per kind, chosen by the main cause and by the profiler that recorded the trace.
#pragma once

#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns one or two sentences of advice.
Message fix_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// Returns the effort that the advice of fix_of() requires.
Effort effort_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// Returns the number of the longest step; "?" if there are no slow steps.
std::string slowest_step(const StepCosts& costs);

/// Whether some kernels or regions come from torch.compile. O(names).
bool is_compiled(const Trace& trace);

inline constexpr double kMostlyGraphs = 0.5;  ///< share of GPU time from which a trace consists mostly of
                                              ///< graphs
/// Returns the share of GPU time in kernels that graph launches started. O(slices).
double graph_share(const Trace& trace);

/// Whether at least half of the finding's time is one-time start-up.
bool is_start_up(FindingKind kind, const StepCosts& costs);
/// Whether at least half of the finding's time precedes the first kernel, see StepCosts::before_kernels_ns().
bool is_before_kernels(FindingKind kind, const StepCosts& costs);
/// Whether the launching threads recorded no events in at least half of the finding's time.
bool lacks_launch_thread_events(FindingKind kind, const StepCosts& costs);

}  // namespace kino
