// Sentences of findings with their numbers, and the verdict on the trace.
#pragma once

#include <cstdint>

#include "core/base/messages/message.hpp"
#include "core/tables/analysis/findings.hpp"
#include "core/tables/analysis/step_costs.hpp"
#include "core/tables/gpu/data_quality_report.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Returns the number of GPUs of the trace. O(processes).
std::uint64_t count_of_gpus(const Trace& trace);

/// Returns the sentence of a finding whose other fields are set.
Message sentence_of(const Finding& finding, const StepCosts& costs, const Trace& trace);

/// Returns the reason why the device may have been busy in time that is recorded as idle. Empty if there is
/// no such reason.
Message idle_caveat(const LaunchCounts& launches);

/// Returns the verdict on the trace. Requires the findings in their final order, and their caveat.
Message verdict_of(const Findings& findings, const StepCosts& costs, const DataQualityReport& trust,
                   const Trace& trace);

}  // namespace kino
