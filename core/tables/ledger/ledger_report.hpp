// The ledgers of all steps of a trace, with utilization, ceilings, gaps and verdict: the content of the
// ledger page.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/ledger/roofline.hpp"
#include "core/tables/ledger/step_ledger.hpp"
#include "core/tables/ledger/utilization.hpp"

namespace kino {

class RangeParts;

/// One step on one GPU.
struct LedgerStep {
  std::optional<std::int64_t> number;  ///< nullopt if the trace marks no steps
  SliceId slice = kNoSlice;            ///< slice that marks the step
  TimeRange range;
  bool used = true;  ///< whether figures of the whole trace include the step, see choose_steps()
  StepTimes times;
  Utilization utilization;
};

/// One GPU with its steps. If the trace marks no steps, there is one, from the first GPU work to the end of
/// the last.
struct LedgerGpu {
  std::string title;  ///< "GPU 0 · NVIDIA A100"
  StepLedger ledger;
  std::vector<LedgerStep> steps;

  /// Returns the index of the step with the median length. Steps that are not used are left out if others
  /// are. A step is also left out if its time in idle_unknown exceeds the smallest such time by more than 1 %
  /// of its length. Launches are often missing at the start of a recording.
  std::size_t typical_step() const;
};

/// Sum of the idle time of one row in gaps before work of one name.
struct GapSum {
  StepRow row = StepRow::idle_tail;
  std::string_view name;  ///< name of the work after the gaps
  std::int64_t ns = 0;
  std::uint64_t gaps = 0;  ///< number of gaps that contribute to this row
};

/// One continuous range of a row.
struct RowInterval {
  TimeRange range;
  SliceId slice = kNoSlice;  ///< work in the range; for idle rows, the next work
};

/// Content of the ledger page. Immutable. Refers to the trace, which must outlive it.
struct LedgerReport {
  std::unique_ptr<const LedgerInputs> inputs;
  std::vector<LedgerGpu> gpus;        ///< GPUs with work, in display order
  std::vector<RooflinePoint> points;  ///< points of the whole trace, see roofline()
};

/// Computes the report of the whole trace, regardless of the range of `parts`. Empty if stopped. The cost is
/// that of LedgerInputs and of one StepLedger per GPU.
LedgerReport ledger_report(const RangeParts& parts, const std::stop_token& stop = {});

/// Sums the gaps of a window by row and name of the next work, by descending time. Gaps without next work,
/// such as idle_tail, are left out. O(parts in the window * log names).
std::vector<GapSum> gap_sums(const Trace& trace, const StepLedger& ledger, TimeRange window);

/// Returns the intervals of one row within a window, in order of time. For matrix_peak, matrix_memory,
/// matrix_loss, memory_roof and memory_loss, these are the whole intervals of the kernels that may have a
/// share of the row. O(parts in the window).
std::vector<RowInterval> row_intervals(const StepLedger& ledger, TimeRange window, StepRow row);

/// Returns the title of a row in charts.
msg::Id title_of(StepRow row);

/// Whether the row is a loss: time beyond what the work of the step needs at the limits of the device.
bool is_loss(StepRow row);

/// Returns the row with the largest loss; nullopt if there is none.
std::optional<StepRow> largest_loss(const StepTimes& times);

/// Returns the sentences above a step. They report the largest loss, if it is at least 1 % of the step. For
/// an idle row, they name the work before which the largest part of this time is spent. For another row, they
/// also report the idle time, which the summary's findings are about. If no loss is that
/// large, they report the time without known limits. They also report the MFU, if it is known.
std::vector<Message> ledger_verdict(const Trace& trace, const LedgerGpu& gpu, const LedgerStep& step);

}  // namespace kino
