// Advice on findings, chosen by their main cause and by the profiler that recorded the trace.
#pragma once

#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns one or two sentences of advice on a finding. `device`: see device_word().
Message fix_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// Returns the line of Python code, or the setting, that the advice recommends. Empty if the advice has none.
std::string code_of(const Message& fix);

/// Returns the effort that the advice of fix_of() requires.
Effort effort_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// Returns the number of the longest step; "?" if there are no slow steps or the windows are not steps.
std::string slowest_step(const StepCosts& costs);

/// Whether the trace contains kernels or regions of torch.compile, judged by event names. O(names).
bool is_compiled(const Trace& trace);

inline constexpr double kMostlyGraphs = 0.5;  ///< minimum graph_share() of a trace that consists mostly of
                                              ///< graphs
/// Returns the share of GPU time in work that graph launches started. O(slices).
double graph_share(const Trace& trace);

/// Whether at least half of the finding's time is one-time start-up.
bool is_start_up(FindingKind kind, const StepCosts& costs);
/// Whether at least half of the finding's time precedes the first kernel, see StepCosts::before_kernels_ns().
/// For FindingKind::copies, false if fewer than 10 copies precede it, since these may be the input of a
/// model.
bool is_before_kernels(FindingKind kind, const StepCosts& costs);
/// Whether the finding is launch-bound time, and the launching threads recorded no events in at least half of
/// it.
bool lacks_launch_thread_events(FindingKind kind, const StepCosts& costs);

}  // namespace kino
