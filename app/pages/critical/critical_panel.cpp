#include "app/pages/critical/critical_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/critical/critical_content.hpp"
#include "app/pages/critical/critical_state.hpp"
#include "app/pages/critical/forecast_list.hpp"
#include "app/pages/critical/forecast_texts.hpp"
#include "app/pages/critical/path_lanes.hpp"
#include "app/pages/critical/path_table.hpp"
#include "app/pages/critical/setting_sliders.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

using UsualForecasts = std::shared_ptr<const std::vector<Forecast>>;

void draw_critical_head(const CriticalState& state) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(8));
  ImGui::Indent(state.px(14));
  ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x - state.px(14));
  if (state.content == nullptr) {
    wrapped_text(state.theme.text, tr(state.failed ? Text::not_enough_memory : Text::critical_computing));
  } else {
    ImGui::PushFont(heading_font());
    wrapped_text(state.theme.text, critical_headline(*state.content));
    ImGui::PopFont();
    const std::string rest = critical_evidence(*state.content, state.usual.get());
    if (!rest.empty()) wrapped_text(state.theme.text_dim, rest);
  }
  ImGui::PopTextWrapPos();
  ImGui::Unindent(state.px(14));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(6));
}

std::string slack_text(std::int64_t slack_ns) {
  return slack_ns == kNoSlack ? std::string(tr(Text::critical_no_slack)) : text_from_duration(slack_ns);
}

/// Facts about the shown path, each with a tooltip.
std::vector<BarText> path_facts(const CriticalState& state) {
  const CriticalContent& content = *state.content;
  const Theme& theme = state.theme;
  std::vector<BarText> parts;
  parts.push_back({content.forecasts() ? theme.text : theme.warning,
                   filled(Text::critical_pieces,
                          {grouped(content.path.pieces.size()), text_from_share(content.explained)}),
                   {},
                   tr(Text::critical_pieces_hint)});
  if (content.forecasts()) {
    parts.push_back({theme.text_dim,
                     filled(Text::critical_replay, {formatted("%+.2f %%", 100 * content.replay_error)}),
                     {},
                     tr(Text::critical_replay_hint)});
  }
  if (content.steps.size() == 1) {
    parts.push_back({theme.warning, tr(Text::critical_one_step)});
  } else if (!content.steps.empty()) {
    parts.push_back({theme.text_dim, filled(Text::critical_steps, {grouped(content.steps.size())})});
  }
  if (content.slack.work > 0) {
    parts.push_back(
        {theme.text_dim,
         filled(Text::critical_critical_work, {grouped(content.slack.critical), grouped(content.slack.work)}),
         {},
         filled(Text::critical_slack_hint,
                {slack_text(content.slack.p10_ns), slack_text(content.slack.p50_ns),
                 slack_text(content.slack.p90_ns)})});
  }
  if (state.piece && *state.piece < content.longest.size()) {
    const PathPiece& piece = content.path.pieces[content.longest[*state.piece]];
    parts.push_back({theme.accent,
                     filled(Text::critical_piece, {grouped(*state.piece + 1), grouped(content.longest.size()),
                                                   text_from_duration(piece.range.length_ns())})});
  }
  return parts;
}

void draw_critical_bar(ImDrawList& list, CriticalState& state) {
  list.AddRectFilled(left_top(state.boxes.bar), right_bottom(state.boxes.bar), state.theme.group_header);
  BarLine bar(list, state.boxes.bar, state.theme, state.scale);
  if (bar.button_at_end("open", tr(Text::critical_show_in_timeline),
                        hint_with_key(Text::critical_show_hint, CommandId::open_piece)))
    state.open_selection();
  bar.texts(path_facts(state));
}

}  // namespace

struct CriticalPanel::State : CriticalState {
  std::shared_ptr<const Trace> source;
  WorkerPool* pool = nullptr;
  std::function<void()> wake;
  BackgroundResult<std::shared_ptr<const CriticalContent>> made;
  BackgroundResult<UsualForecasts> forecasts;
  BackgroundResult<std::shared_ptr<const RetimedContent>> retiming;
  std::vector<std::string> retimed_for;  // settings of the newest computation

  void start() {
    made.start(*pool, wake,
               [trace = source](const std::stop_token& stop) { return critical_content(trace, stop); });
  }

  void take(const std::shared_ptr<const CriticalContent>& done) {
    content = done;
    if (!can_forecast()) {
      tab = PathTab::name;  // which has the reasons of unexplained time
      return;
    }
    forecasts.start(*pool, wake, [done](const std::stop_token& stop) {
      return std::make_shared<const std::vector<Forecast>>(usual_forecasts(done->graph, stop));
    });
  }

  /// Computes the path for the newest settings. While a slider moves, each computation ends before the next
  /// one starts, so that the lane follows.
  void retime() {
    if (!can_forecast() || retiming.running()) return;
    std::vector<std::string> wanted = settings();
    if (wanted == retimed_for) return;
    retimed_for = wanted;
    if (wanted.empty()) {
      retimed.reset();
      return;
    }
    retiming.start(*pool, wake, [from = content, wanted = std::move(wanted)](const std::stop_token& stop) {
      return retimed_content(*from, wanted, stop);
    });
  }

  bool computing() const {
    return made.running() || forecasts.running() || retiming.running() ||
           (can_forecast() && settings() != retimed_for);
  }

  void handle_keys() {
    if (command_pressed(CommandId::next_forecast)) step_forecast(1);
    if (command_pressed(CommandId::previous_forecast)) step_forecast(-1);
    if (command_pressed(CommandId::toggle_forecast) && usual != nullptr && forecast)
      toggle((*usual)[*forecast].setting);
    if (command_pressed(CommandId::reset_settings)) reset();
    if (command_pressed(CommandId::next_piece)) step_piece(1);
    if (command_pressed(CommandId::previous_piece)) step_piece(-1);
    if (command_pressed(CommandId::next_path_table)) next_tab();
    if (command_pressed(CommandId::open_piece)) open_selection();
  }
};

std::vector<PageFact> CriticalPanel::facts() const {
  return state_->source != nullptr ? trace_facts(*state_->source, {}) : std::vector<PageFact>();
}

CriticalPanel::CriticalPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(trace);
  state_->pool = &pool;
  state_->wake = std::move(wake);
  state_->start();
}

CriticalPanel::~CriticalPanel() = default;

void CriticalPanel::poll() {
  State& state = *state_;
  if (const std::shared_ptr<const CriticalContent>* done = state.made.poll();
      done != nullptr && *done != state.content)
    state.take(*done);
  if (const UsualForecasts* done = state.forecasts.poll(); done != nullptr) state.usual = *done;
  if (const std::shared_ptr<const RetimedContent>* done = state.retiming.poll(); done != nullptr)
    state.retimed = *done;
  state.failed = state.made.failed() || state.forecasts.failed() || state.retiming.failed();
  state.retime();
}

bool CriticalPanel::complete() const { return !state_->computing(); }

std::vector<PageRequest> CriticalPanel::take_requests() { return std::exchange(state_->requests, {}); }

void CriticalPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, state.theme.panel);
  draw_critical_head(state);
  if (!state.has_path()) return;
  place_critical(state, {at.x, at.y, at.x + size.x, at.y + size.y});
  if (state.boxes.settings.bottom - state.boxes.bar.bottom < 20 * ImGui::GetFontSize()) return;
  draw_critical_bar(list, state);
  draw_forecast_list(state);
  draw_path_lanes(list, state);
  if (state.can_forecast()) draw_setting_sliders(state);
  draw_path_table(state);
  state.retime();
}

namespace {

nlohmann::ordered_json forecasts_json(const CriticalState& state) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (state.usual == nullptr) return rows;
  const std::int64_t window_ns = state.content->window_ns();
  for (const Forecast& row : *state.usual) {
    rows.push_back({{"setting", row.setting},
                    {"length_ns", row.length_ns},
                    {"bound", row.bound},
                    {"uncertain", row.may_be_nothing(window_ns)},
                    {"chosen", state.is_chosen(row.setting)}});
  }
  return rows;
}

}  // namespace

void CriticalPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  json = {{"computed", state.content != nullptr && !state.computing()}, {"pieces", 0}};
  if (state.content == nullptr) return;
  const CriticalContent& content = *state.content;
  json["pieces"] = content.path.pieces.size();
  json["headline"] = critical_headline(content);
  json["evidence"] = critical_evidence(content, state.usual.get());
  if (!state.has_path()) return;
  json["window_ns"] = content.window_ns();
  json["explained"] = content.explained;
  json["steps"] = content.steps.size();
  Json causes = Json::object();
  for (std::size_t i = 0; i < kPathCauseCount; ++i) {
    if (content.path.causes[i] > 0)
      causes[std::string(text_of(static_cast<PathCause>(i)))] = content.path.causes[i];
  }
  json["causes"] = causes;
  json["sliders"] = content.sliders;
  json["forecasts"] = forecasts_json(state);
  json["forecast"] = state.forecast ? Json(*state.forecast) : Json();
  json["settings"] = state.settings();
  const bool retimed = state.retimed != nullptr && !state.chosen.empty();
  json["retimed_ns"] = retimed ? Json(state.retimed->window.length_ns()) : Json();
  json["problem"] = retimed ? state.retimed->problem.str() : std::string();
  json["piece"] = state.piece ? Json(*state.piece) : Json();
  json["table"] = key_of(state.tab);
  json["rows"] = content.tables[static_cast<std::size_t>(state.tab)].rows.size();
  for (const auto& [name, box] :
       {std::pair{"bar", state.boxes.bar}, std::pair{"list", state.boxes.forecasts},
        std::pair{"lanes", state.boxes.lanes}, std::pair{"path_lane", state.boxes.path},
        std::pair{"settings_box", state.boxes.settings}, std::pair{"table_box", state.boxes.table}})
    json[name] = {box.left, box.top, box.right, box.bottom};
}

}  // namespace kino
