#include "app/pages/ledger/ledger_state.hpp"

#include <algorithm>

#include <imgui.h>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/oklch.hpp"
#include "app/ui/widgets/panel_parts.hpp"

namespace kino {
namespace {

constexpr double kCommunicationHue = 52;
constexpr double kIdleHue = 5;
constexpr double kMatrixHue = 254;
constexpr double kMemoryHue = 95;

/// Returns the lightness of an idle row. It decreases from row to row, so that neighbors in the bars differ.
double idle_lightness(StepRow row) {
  constexpr double kLightest = 0.74;
  constexpr double kStep = 0.035;
  return kLightest -
         kStep * static_cast<double>(static_cast<int>(row) - static_cast<int>(StepRow::idle_launch));
}

}  // namespace

void LedgerState::take(std::shared_ptr<const LedgerContent> made) {
  content = std::move(made);
  gpu = 0;
  point.reset();
  if (has_steps()) choose_step(shown_gpu().typical_step());
}

void LedgerState::choose_gpu(std::size_t wanted) {
  if (!has_steps() || wanted >= content->report.gpus.size()) return;
  gpu = wanted;
  choose_step(std::min(step, shown_gpu().steps.size() - 1));
}

void LedgerState::choose_step(std::size_t wanted) {
  if (!has_steps() || wanted >= shown_gpu().steps.size()) return;
  step = wanted;
  take_step();
}

void LedgerState::take_step() {
  const StepTimes& times = shown_step().times;
  rows.clear();
  for (std::size_t i = 0; i < kStepRowCount; ++i) {
    if (times[static_cast<StepRow>(i)] > 0) rows.push_back(static_cast<StepRow>(i));
  }
  verdict = ledger_verdict(trace(), shown_gpu(), shown_step());
  const bool kept = row && times[*row] > 0;
  choose_row(kept ? row : largest_loss(times));
}

void LedgerState::choose_row(std::optional<StepRow> wanted) {
  row = wanted;
  interval.reset();
  intervals.clear();
  if (!row || !has_steps()) return;
  intervals = row_intervals(shown_gpu().ledger, shown_step().range, *row);
  std::ranges::stable_sort(intervals, std::greater<>(),
                           [](const RowInterval& each) { return each.range.length_ns(); });
}

void LedgerState::step_row(int by) {
  if (rows.empty()) return;
  const auto at = row ? std::ranges::find(rows, *row) : rows.end();
  const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
  const std::ptrdiff_t before = at == rows.end() ? (by > 0 ? -1 : last + 1) : at - rows.begin();
  choose_row(rows[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(before + by, 0, last))]);
}

void LedgerState::step_interval(int by) {
  if (intervals.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(intervals.size());
  const std::ptrdiff_t before = interval ? static_cast<std::ptrdiff_t>(*interval) : (by > 0 ? -1 : 0);
  interval = static_cast<std::size_t>((before + by + count) % count);
}

void LedgerState::open_selection() {
  if (!has_steps()) return;
  if (row && !intervals.empty()) {
    const RowInterval& shown = intervals[interval.value_or(0)];
    requests.emplace_back(ShowRange{shown.range, shown.slice});
  } else {
    requests.emplace_back(ShowRange{shown_step().range, shown_step().slice});
  }
}

void place_ledger(LedgerState& state, const Box& all) {
  const float em = ImGui::GetFontSize();
  LedgerBoxes& boxes = state.boxes;
  boxes.all = all;
  boxes.bar = {all.left, ImGui::GetCursorScreenPos().y, all.right, 0};
  boxes.bar.bottom = boxes.bar.top + std::floor(2.1F * em);
  const float middle = std::floor(all.left + (all.right - all.left) / 2);
  const float rest = all.bottom - boxes.bar.bottom;
  const float below = std::floor(std::clamp(rest * 0.36F, 8 * em, 17 * em));
  const float split = all.bottom - below;
  boxes.waterfall = {all.left, boxes.bar.bottom, middle, split};
  boxes.roofline = {middle, boxes.bar.bottom, all.right, split};
  const float right = std::floor(all.left + (all.right - all.left) * 0.6F);
  boxes.steps = {all.left, split, right, all.bottom};
  boxes.ceiling = {right, split, all.right, all.bottom};
}

std::uint32_t row_color(StepRow row, const Theme& theme) {
  const auto color = [&](double lightness, double chroma, double hue) {
    return packed_color({theme.dark ? lightness : lightness - 0.06, chroma, hue});
  };
  switch (row) {
    case StepRow::matrix_peak:
      return color(0.70, 0.14, kMatrixHue);
    case StepRow::matrix_memory:
      return color(0.62, 0.12, kMatrixHue);
    case StepRow::matrix_loss:
      return color(0.52, 0.11, kMatrixHue);
    case StepRow::memory_roof:
      return color(0.86, 0.12, kMemoryHue);
    case StepRow::memory_loss:
      return color(0.70, 0.11, kMemoryHue);
    case StepRow::recompute:
      return color(0.62, 0.10, 200);
    case StepRow::optimizer:
      return color(0.66, 0.10, 155);
    case StepRow::matrix_unknown:
    case StepRow::memory_unknown:
    case StepRow::kernel_other:
      return color(0.62, 0.02, 262);
    case StepRow::comm_waiting:
      return color(0.78, 0.14, kCommunicationHue);
    case StepRow::comm_moving:
    case StepRow::comm_unsplit:
      return color(0.66, 0.12, kCommunicationHue);
    case StepRow::comm_p2p:
      return color(0.58, 0.10, kCommunicationHue);
    case StepRow::copy:
      return color(0.74, 0.10, 120);
    case StepRow::idle_unknown:
    case StepRow::idle_tail:
      return color(0.50, 0.03, kIdleHue);
    default:
      return color(idle_lightness(row), 0.13, kIdleHue);
  }
}

bool is_hatched(StepRow row) {
  return row == StepRow::matrix_unknown || row == StepRow::memory_unknown || row == StepRow::comm_waiting ||
         row == StepRow::idle_unknown || row == StepRow::idle_tail;
}

void fill_row(ImDrawList& list, const Box& box, StepRow row, const Theme& theme, float scale) {
  const std::uint32_t color = row_color(row, theme);
  if (!is_hatched(row)) return list.AddRectFilled(left_top(box), right_bottom(box), color);
  list.AddRectFilled(left_top(box), right_bottom(box), mixed(theme.panel, color, 0.3));
  draw_hatching(list, left_top(box), right_bottom(box), color, scale);
}

std::string step_name(const LedgerStep& step) {
  return step.number ? filled(Text::ledger_step, {std::to_string(*step.number)})
                     : tr(Text::ledger_whole_trace);
}

}  // namespace kino
