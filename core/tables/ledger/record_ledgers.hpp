// Adds the step ledgers to the record of a run, for comparisons and gates.
#pragma once

#include <span>
#include <stop_token>

#include "core/tables/compare/run_record.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Sets RunWindow::ledger and RunCounts::hfu_ppm of all windows: the means of all GPUs with work. Does
/// nothing if the trace has no GPU work. HFU is unknown if the peak of a type is unknown, or if less than
/// half of the matrix work has known FLOPs. The cost is that of LedgerInputs and of one StepLedger per GPU.
void add_ledgers(const Trace& trace, std::span<RunWindow> windows, const std::stop_token& stop = {});

}  // namespace kino
