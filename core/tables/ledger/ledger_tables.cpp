#include "core/tables/ledger/ledger_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/ledger_table.hpp"
#include "core/tables/ledger/step_ledger.hpp"
#include "core/tables/ledger/utilization.hpp"
#include "core/tables/ledger/whole_tree.hpp"
#include "core/trace/links/range_parts.hpp"
#include "core/trace/steps.hpp"

namespace kino {
namespace {

enum class LedgerGrouping : std::uint8_t { step, row, mean };

constexpr std::string_view kStepKeys[] = {"step"};
constexpr std::string_view kRowKeys[] = {"step", "gpu", "cause"};
constexpr std::string_view kMeanKeys[] = {"gpu", "cause"};
/// In the order of LedgerGrouping.
constexpr TableGroup kLedgerGroups[] = {{"step", msg::ledger_one_row_per_step, kStepKeys},
                                        {"row", msg::ledger_one_row_per_cause, kRowKeys},
                                        {"mean", msg::ledger_mean_step, kMeanKeys}};

struct LedgerWindow {
  std::string step;  // number of the step; empty if the trace marks no steps
  SliceId slice = kNoSlice;
  TimeRange range;
};

struct CauseTime {
  std::string step;
  std::string gpu;
  StepRow row = StepRow::idle_tail;
  std::int64_t ns = 0;
  std::int64_t window_ns = 0;
  SliceId slice = kNoSlice;
};

/// Returns the parts of the steps within the range. Without steps, returns the part of `extent` within the
/// range.
std::vector<LedgerWindow> windows_of(const std::vector<Step>& steps, TimeRange extent, TimeRange range) {
  std::vector<LedgerWindow> windows;
  windows.reserve(steps.size());
  for (const Step& step : steps) windows.push_back({std::to_string(step.number), step.slice, step.range});
  if (windows.empty()) windows.push_back({{}, kNoSlice, extent});
  for (LedgerWindow& window : windows) {
    window.range.begin_ns = std::max(window.range.begin_ns, range.begin_ns);
    window.range.end_ns = std::min(window.range.end_ns, range.end_ns);
  }
  std::erase_if(windows, [](const LedgerWindow& window) { return window.range.length_ns() <= 0; });
  return windows;
}

void add_rows(std::vector<CauseTime>& rows, const LedgerWindow& window, const std::string& gpu,
              const StepTimes& times) {
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    const auto row = static_cast<StepRow>(i);
    if (times[row] == 0) continue;
    rows.push_back({window.step, gpu, row, times[row], window.range.length_ns(), window.slice});
  }
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

/// Returns a note on the utilization of one GPU in all windows. Empty if it is unknown.
Message mfu_note(const LedgerInputs& inputs, std::span<const StreamWork> streams, const std::string& gpu,
                 const std::vector<LedgerWindow>& windows) {
  std::vector<TimeRange> ranges;
  ranges.reserve(windows.size());
  for (const LedgerWindow& window : windows) ranges.push_back(window.range);
  Utilization sum;
  for (const Utilization& use : utilizations(inputs.trace, inputs.costs, streams, ranges)) sum += use;
  if (!sum.known()) return {};
  if (!sum.at_least()) return {msg::ledger_mfu, gpu, sum.formula(), percent(sum.mfu()), percent(sum.hfu())};
  const double share = static_cast<double>(sum.uncounted_ns) / static_cast<double>(sum.matrix_ns);
  return {msg::ledger_mfu_at_least, gpu,           sum.formula(), percent(sum.mfu()),
          percent(sum.hfu()),       percent(share)};
}

Table cause_table(const RangeParts& parts, bool mean, const std::stop_token& stop) {
  const Trace& trace = parts.trace();
  const WholeTree tree(parts, stop);
  const LedgerInputs inputs(trace, tree.part(), stop);
  const std::vector<Step> steps = find_steps(trace, stop).steps;
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  std::vector<CauseTime> rows;
  Table table;
  table.definition = mean ? msg::ledger_mean_definition : msg::ledger_rows_definition;
  for (const GpuLedger& gpu : gpu_ledgers(inputs, stop)) {
    const std::vector<LedgerWindow> windows = windows_of(steps, gpu.ledger.extent(), parts.range());
    if (windows.empty()) continue;
    StepTimes sum;
    LedgerWindow all;
    for (const LedgerWindow& window : windows) {
      const StepTimes times = gpu.ledger.times(window.range);
      if (!mean) add_rows(rows, window, gpu.title, times);
      sum += times;
    }
    if (mean) {
      const auto count = static_cast<std::int64_t>(windows.size());
      all.range.end_ns = sum.total() / count;
      add_rows(rows, all, gpu.title, sum.mean(count));
    }
    if (Message note = mfu_note(inputs, work.of_process(trace, gpu.process), gpu.title, windows);
        !note.empty())
      table.notes.push_back(std::move(note));
  }
  if (!mean) {
    table.texts_of(rows, "step", msg::step, msg::ledger_step_about, &CauseTime::step);
    for (const CauseTime& row : rows) table.links.emplace_back(row.slice);
  }
  table.texts_of(rows, "gpu", msg::gpu, msg::ledger_gpu_about, &CauseTime::gpu);
  table.texts_of(rows, "cause", msg::cause, msg::ledger_cause_about,
                 [](const CauseTime& row) { return text_of(row.row); });
  table.integers_of(rows, "time_ns", msg::time, Unit::ns, msg::ledger_time_about, &CauseTime::ns);
  table.number_column(
      rows, "share", msg::share, Unit::share, msg::ledger_share_about, [](const CauseTime& row) {
        return row.window_ns > 0 ? static_cast<double>(row.ns) / static_cast<double>(row.window_ns)
                                 : kNoNumber;
      });
  table.text_column(rows, "bound", msg::ledger_bound, msg::ledger_bound_about, [](const CauseTime& row) {
    return row.row == StepRow::comm_waiting ? Message(msg::ledger_at_least) : Message();
  });
  if (rows.empty()) table.notes.emplace_back(msg::ledger_no_gpu_work);
  if (std::ranges::find(rows, StepRow::comm_waiting, &CauseTime::row) != rows.end())
    table.notes.emplace_back(msg::ledger_waiting_is_a_bound);
  if (inputs.costs.roofs().assumed)
    table.notes.emplace_back(msg::ledger_peaks_assumed, inputs.costs.roofs().device);
  return table;
}

Table compute_ledger(const RangeParts& parts, const TableQuery& query, const std::stop_token& stop) {
  const auto grouping = static_cast<LedgerGrouping>(query.group);
  Table table = grouping == LedgerGrouping::step ? ledger_step_table(parts, stop)
                                                 : cause_table(parts, grouping == LedgerGrouping::mean, stop);
  table.name = kLedgerTable.name;
  table.title = kLedgerTable.title;
  return table;
}

}  // namespace

constexpr TableKind<RangeParts> kLedgerTable{{.name = "ledger",
                                              .title = msg::time_by_cause,
                                              .heading = msg::whole_trace,
                                              .about = msg::about_ledger,
                                              .groups = kLedgerGroups},
                                             &compute_ledger};

}  // namespace kino
