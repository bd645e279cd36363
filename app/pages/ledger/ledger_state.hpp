// State that the parts of the ledger page share: positions, content and selection.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/drawer/page_request.hpp"
#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"
#include "core/tables/ledger/ledger_report.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct LedgerBoxes {
  Box all;
  Box bar;        ///< facts about the step and the device
  Box waterfall;  ///< rows of the shown step
  Box roofline;
  Box steps;  ///< one stacked bar per step
  Box ceiling;
};

/// The computed report with the trace that it refers to.
struct LedgerContent {
  std::shared_ptr<const Trace> trace;
  LedgerReport report;
};

struct LedgerState {
  Theme theme;
  float scale = 1;
  LedgerBoxes boxes;
  std::shared_ptr<const LedgerContent> content;  ///< null until it is computed
  bool failed = false;                           ///< the computation ran out of memory

  std::size_t gpu = 0;
  std::size_t step = 0;
  std::optional<StepRow> row;           ///< selected row of the waterfall
  std::vector<RowInterval> intervals;   ///< intervals of the selected row in the shown step, longest first
  std::optional<std::size_t> interval;  ///< index of the selected interval
  std::optional<std::size_t> point;     ///< index of the selected point of the roofline
  std::vector<Message> verdict;         ///< verdict on the shown step
  std::vector<StepRow> rows;            ///< rows of the shown step that are not zero
  std::vector<PageRequest> requests;

  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  /// Whether there is a step to show.
  bool has_steps() const { return content != nullptr && !content->report.gpus.empty(); }
  // The following require has_steps().
  const Trace& trace() const { return *content->trace; }
  const LedgerGpu& shown_gpu() const { return content->report.gpus[gpu]; }
  const LedgerStep& shown_step() const { return shown_gpu().steps[step]; }

  /// Sets the content and shows the typical step of the first GPU.
  void take(std::shared_ptr<const LedgerContent> made);
  void choose_gpu(std::size_t wanted);
  void choose_step(std::size_t wanted);
  void choose_row(std::optional<StepRow> wanted);
  /// Selects the next (+1) or previous (-1) row of the waterfall. Stays at the first and last.
  void step_row(int by);
  /// Selects the next (+1) or previous (-1) interval of the row. After the last, continues at the first.
  void step_interval(int by);
  /// Requests the timeline to show the selected interval, else the longest of the selected row, else the
  /// step.
  void open_selection();

 private:
  void take_step();
};

/// Sets the boxes of the page's parts, which share the area `all`. Uses ImGui's cursor as the top of the bar.
void place_ledger(LedgerState& state, const Box& all);

/// Returns the color of a row in the waterfall and in the bars of steps.
std::uint32_t row_color(StepRow row, const Theme& theme);
/// Returns whether the row is hatched: matrix or memory-bound work with unknown limits, waiting for other
/// ranks, and idle time before unknown launches or without further work.
bool is_hatched(StepRow row);
/// Fills a rectangle with the color and the hatching of a row.
void fill_row(ImDrawList& list, const Box& box, StepRow row, const Theme& theme, float scale);
/// Returns the name of a step. If the trace marks no steps, returns that of the whole trace.
std::string step_name(const LedgerStep& step);

}  // namespace kino
