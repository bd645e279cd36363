// The first page of the report of a trace as HTML: the content that the summary in the window shows.
#pragma once

#include <string>

#include "core/tables/summary/trace_overview.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Adds one card per finding: its time, advice, code, times by step and worst example. Adds nothing if there
/// are no findings.
void add_finding_cards(std::string& out, const Trace& trace, const TraceOverview& overview);
/// Adds GPUs, steps, the mean step, kernels, operators, utilization, memory and the recorded events. Adds
/// nothing if the trace has no time breakdown: no GPU work, operators or runtime calls.
void add_overview_sections(std::string& out, const Trace& trace, const TraceOverview& overview);

/// Returns CSS custom properties with the colors of groups of a step and of kinds of slices.
std::string overview_colors(bool dark);

}  // namespace kino
