// Advice on findings: a fix per kind, by the cause of most of its time and by what recorded the trace.
#pragma once

#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns advice on a finding, in one or two sentences.
Message fix_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// Returns what that advice takes.
Effort effort_of(FindingKind kind, const StepCosts& costs, std::string_view device, const Trace& trace);

/// The number of the longest step; "?" without slow steps.
std::string slowest_step(const StepCosts& costs);

/// Whether torch.compile made some of the kernels or regions. O(names).
bool is_compiled(const Trace& trace);

inline constexpr double kMostlyGraphs = 0.5;  ///< of the GPU time
/// The share of GPU time in kernels that a graph launch started. O(slices).
double graph_share(const Trace& trace);

/// Whether at least half of the finding is start-up that happens once.
bool is_start_up(FindingKind kind, const StepCosts& costs);
/// Whether at least half of it precedes the first kernel, see StepCosts::before_kernels_ns().
bool is_before_kernels(FindingKind kind, const StepCosts& costs);
/// Whether nothing of the launching threads was recorded in at least half of the finding.
bool is_silent(FindingKind kind, const StepCosts& costs);

}  // namespace kino
