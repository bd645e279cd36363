#include "app/pages/ledger/ledger_panel.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/ledger/ledger_charts.hpp"
#include "app/pages/ledger/ledger_state.hpp"
#include "app/pages/ledger/roofline_chart.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/analysis/range_analysis.hpp"

namespace kino {
namespace {

bool has_device(const Trace& trace) { return std::ranges::any_of(trace.processes, &Process::gpu); }

/// Draws the code that records GPU work, with a button that copies it.
void draw_recording(const LedgerState& state) {
  ImGui::Dummy({0, state.px(4)});
  wrapped_text(state.theme.text_dim, tr(Text::record_gpu_work));
  ImGui::PushFont(mono_font());
  wrapped_text(state.theme.text, kRecordGpuWork);
  ImGui::PopFont();
  copy_button(Text::summary_copy, kRecordGpuWork);
  wrapped_text(state.theme.text_dim, tr(Text::record_other_devices));
}

void draw_head(const LedgerState& state) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(8));
  ImGui::Indent(state.px(14));
  ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x - state.px(14));
  if (state.has_steps()) {
    ImGui::PushFont(heading_font());
    wrapped_text(state.theme.text, escaped(device_text(state.verdict.front(), state.trace())));
    ImGui::PopFont();
    std::string rest;
    for (std::size_t i = 1; i < state.verdict.size(); ++i)
      rest += (rest.empty() ? "" : " ") + device_text(state.verdict[i], state.trace());
    if (!rest.empty()) wrapped_text(state.theme.text_dim, escaped(rest));
  } else {
    const Text text = state.failed               ? Text::not_enough_memory
                      : state.content == nullptr ? Text::ledger_computing
                                                 : Text::ledger_no_gpu_work;
    const bool no_gpu = text == Text::ledger_no_gpu_work;
    wrapped_text(state.theme.text, no_gpu ? device_text(text, state.trace()) : tr(text));
    if (no_gpu && !has_device(state.trace())) draw_recording(state);
  }
  ImGui::PopTextWrapPos();
  ImGui::Unindent(state.px(14));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(6));
}

/// Returns the memory bandwidth of the device as text, or a note that it is unknown or that a board is
/// assumed.
std::string roofs_text(const LedgerState& state) {
  const DeviceRoofs& roofs = state.content->report.inputs->costs.roofs();
  if (roofs.assumed) return tr(Text::ledger_assumed);
  return roofs.bytes_per_ns > 0 ? formatted("%.0f GB/s", roofs.bytes_per_ns)
                                : tr(Text::ledger_unknown_device);
}

void draw_bar(ImDrawList& list, LedgerState& state) {
  const Theme& theme = state.theme;
  list.AddRectFilled(left_top(state.boxes.bar), right_bottom(state.boxes.bar), theme.group_header);
  BarLine bar(list, state.boxes.bar, theme, state.scale);
  if (bar.button_at_end("open", tr(Text::ledger_show_in_timeline), tr(Text::ledger_show_hint)))
    state.open_selection();
  if (state.content->report.gpus.size() > 1 &&
      bar.button_at_end("gpu", device_text(Text::ledger_next_gpu, state.trace()), {}))
    state.choose_gpu((state.gpu + 1) % state.content->report.gpus.size());
  const LedgerStep& step = state.shown_step();
  const std::size_t steps = state.shown_gpu().steps.size();
  std::vector<BarText> parts{{theme.text, step_name(step)}};
  if (steps > 1) {
    parts.push_back(
        {theme.text_dim, filled(Text::ledger_of_steps, {grouped(state.step + 1), grouped(steps)})});
  }
  if (!step.used) parts.push_back({theme.warning, tr(Text::summary_step_unused)});
  parts.push_back({theme.text_dim, escaped(state.shown_gpu().title)});
  parts.push_back({theme.text_dim, roofs_text(state)});
  if (state.row && !state.intervals.empty()) {
    const RowInterval& shown = state.intervals[state.interval.value_or(0)];
    parts.push_back(
        {theme.accent, filled(Text::ledger_interval,
                              {grouped(state.interval.value_or(0) + 1), grouped(state.intervals.size()),
                               text_from_duration(shown.range.length_ns())})});
  }
  parts.push_back({theme.text_dim,
                   filled(Text::ledger_adds_up, {grouped(static_cast<std::uint64_t>(step.times.total()))})});
  bar.texts(parts);
}

}  // namespace

struct LedgerPanel::State : LedgerState {
  BackgroundResult<std::shared_ptr<const LedgerContent>> made;
  std::optional<StepRow> wanted_row;  // row to select once there is content

  void take_wanted_row() {
    if (!wanted_row || !has_steps()) return;
    if (shown_step().times[*wanted_row] > 0) choose_row(wanted_row);
    wanted_row.reset();
  }

  void handle_keys() {
    if (command_pressed(CommandId::next_interval)) step_interval(1);
    if (command_pressed(CommandId::previous_interval)) step_interval(-1);
    if (command_pressed(CommandId::next_row)) step_row(1);
    if (command_pressed(CommandId::previous_row)) step_row(-1);
    if (command_pressed(CommandId::next_ledger_step)) choose_step(step + 1);
    if (command_pressed(CommandId::previous_ledger_step) && step > 0) choose_step(step - 1);
    if (command_pressed(CommandId::next_gpu) && has_steps())
      choose_gpu((gpu + 1) % content->report.gpus.size());
    if (command_pressed(CommandId::open_interval)) open_selection();
  }
};

std::vector<PageFact> LedgerPanel::facts() const {
  const auto* const made = state_->made.value();
  return made != nullptr ? trace_facts(*(*made)->trace, {}) : std::vector<PageFact>();
}

LedgerPanel::LedgerPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool,
                         const std::function<void()>& wake)
    : state_(std::make_unique<State>()) {
  state_->made.start(pool, wake, [trace = std::move(trace)](const std::stop_token& stop) {
    const RangeAnalysis parts(*trace, whole_range(*trace));
    return std::make_shared<const LedgerContent>(LedgerContent{trace, ledger_report(parts, stop)});
  });
}

LedgerPanel::~LedgerPanel() = default;

void LedgerPanel::poll() {
  if (const std::shared_ptr<const LedgerContent>* done = state_->made.poll();
      done != nullptr && *done != state_->content)
    state_->take(*done);
  state_->take_wanted_row();
  state_->failed = state_->made.failed();
}

void LedgerPanel::show_row(std::string_view row) {
  state_->wanted_row = step_row_named(row);
  state_->take_wanted_row();
}

bool LedgerPanel::complete() const { return !state_->made.running(); }

std::vector<PageRequest> LedgerPanel::take_requests() { return std::exchange(state_->requests, {}); }

void LedgerPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, state.theme.panel);
  draw_head(state);
  if (!state.has_steps()) return;
  place_ledger(state, {at.x, at.y, at.x + size.x, at.y + size.y});
  if (state.boxes.waterfall.height() < 6 * ImGui::GetFontSize()) return;
  draw_bar(list, state);
  draw_ledger_waterfall(list, state);
  draw_roofline(list, state);
  draw_ledger_steps(state);
  draw_ledger_ceiling(list, state);
}

void LedgerPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  json = {{"computed", state.content != nullptr}, {"gpus", 0}};
  json["explains_recording"] = state.content != nullptr && !state.has_steps() && !has_device(state.trace());
  if (!state.has_steps()) return;
  const LedgerStep& step = state.shown_step();
  json["gpus"] = state.content->report.gpus.size();
  json["steps"] = state.shown_gpu().steps.size();
  json["step"] = step.number ? Json(*step.number) : Json();
  json["row"] = state.row ? Json(text_of(*state.row)) : Json();
  json["interval"] = state.interval ? Json(*state.interval) : Json();
  json["intervals"] = state.intervals.size();
  json["verdict"] = english_texts(state.verdict);
  json["points"] = state.content->report.points.size();
  Json rows = Json::object();
  for (const StepRow row : state.rows) rows[std::string(text_of(row))] = step.times[row];
  json["rows"] = rows;
  const Box& waterfall = state.boxes.waterfall;
  json["waterfall"] = {waterfall.left, waterfall.top, waterfall.right, waterfall.bottom};
  const Box& roofline = state.boxes.roofline;
  json["roofline"] = {roofline.left, roofline.top, roofline.right, roofline.bottom};
}

}  // namespace kino
