#include "app/pages/critical/critical_view.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/pages/critical/forecast_list.hpp"
#include "app/pages/critical/forecast_texts.hpp"
#include "app/pages/critical/path_lanes.hpp"
#include "app/pages/critical/path_ranks.hpp"
#include "app/pages/critical/path_table.hpp"
#include "app/pages/critical/setting_sliders.hpp"
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
  const std::string label = tr(state.of_job() ? Text::critical_open_rank : Text::critical_show_in_timeline);
  const std::string hint = state.of_job() ? std::string(tr(Text::critical_open_rank_hint))
                                          : hint_with_key(Text::critical_show_hint, CommandId::open_piece);
  if (bar.button_at_end("open", label, hint)) state.open_selection();
  bar.texts(path_facts(state));
}

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

CriticalView::CriticalView(WorkerPool& pool, std::function<void()> wake)
    : pool_(pool), wake_(std::move(wake)) {}

void CriticalView::start(Compute compute) {
  state_.content = nullptr;
  state_.usual = nullptr;
  state_.retimed = nullptr;
  state_.forecast.reset();
  state_.piece.reset();
  state_.tab = PathTab::cause;
  retimed_for_.clear();
  forecasts_.reset();
  retiming_.reset();
  made_.start(pool_, wake_, std::move(compute));
}

void CriticalView::reset() {
  made_.reset();
  forecasts_.reset();
  retiming_.reset();
  retimed_for_.clear();
  state_ = CriticalState();
}

void CriticalView::take(const std::shared_ptr<const CriticalContent>& done) {
  state_.content = done;
  if (!state_.can_forecast()) {
    state_.tab = PathTab::name;  // which has the reasons of unexplained time
    return;
  }
  forecasts_.start(pool_, wake_, [done](const std::stop_token& stop) {
    return std::make_shared<const std::vector<Forecast>>(usual_forecasts(done->graph, stop));
  });
}

/// Computes the path for the newest settings. While a slider moves, each computation ends before the next one
/// starts, so that the lane follows.
void CriticalView::retime() {
  if (!state_.can_forecast() || retiming_.running()) return;
  std::vector<std::string> wanted = state_.settings();
  if (wanted == retimed_for_) return;
  retimed_for_ = wanted;
  if (wanted.empty()) {
    state_.retimed.reset();
    return;
  }
  retiming_.start(pool_, wake_,
                  [from = state_.content, wanted = std::move(wanted)](const std::stop_token& stop) {
                    return retimed_content(*from, wanted, stop);
                  });
}

bool CriticalView::computing() const {
  return made_.running() || forecasts_.running() || retiming_.running() ||
         (state_.can_forecast() && state_.settings() != retimed_for_);
}

void CriticalView::poll() {
  if (const std::shared_ptr<const CriticalContent>* done = made_.poll();
      done != nullptr && *done != state_.content)
    take(*done);
  if (const UsualForecasts* done = forecasts_.poll(); done != nullptr) state_.usual = *done;
  if (const std::shared_ptr<const RetimedContent>* done = retiming_.poll(); done != nullptr)
    state_.retimed = *done;
  state_.failed = made_.failed() || forecasts_.failed() || retiming_.failed();
  retime();
}

void CriticalView::handle_keys() {
  if (command_pressed(CommandId::next_forecast)) state_.step_forecast(1);
  if (command_pressed(CommandId::previous_forecast)) state_.step_forecast(-1);
  if (command_pressed(CommandId::toggle_forecast) && state_.usual != nullptr && state_.forecast)
    state_.toggle((*state_.usual)[*state_.forecast].setting);
  if (command_pressed(CommandId::reset_settings)) state_.reset();
  if (command_pressed(CommandId::next_piece)) state_.step_piece(1);
  if (command_pressed(CommandId::previous_piece)) state_.step_piece(-1);
  if (command_pressed(CommandId::next_path_table)) state_.next_tab();
  if (command_pressed(CommandId::open_piece)) state_.open_selection();
}

void CriticalView::draw(const Theme& theme, float scale, ImVec2 at, ImVec2 size) {
  state_.theme = theme;
  state_.scale = scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, theme.panel);
  draw_critical_head(state_);
  if (!state_.has_path()) return;
  place_critical(state_, {at.x, at.y, at.x + size.x, at.y + size.y});
  if (state_.boxes.settings.bottom - state_.boxes.bar.bottom < 20 * ImGui::GetFontSize()) return;
  draw_critical_bar(list, state_);
  draw_forecast_list(state_);
  draw_path_lanes(list, state_);
  if (state_.of_job()) draw_path_ranks(state_);
  if (state_.can_forecast()) draw_setting_sliders(state_);
  draw_path_table(state_);
  retime();
}

std::vector<PageRequest> CriticalView::take_requests() { return std::exchange(state_.requests, {}); }

void CriticalView::write_test_state(nlohmann::ordered_json& json) const {
  const CriticalState& state = state_;
  using Json = nlohmann::ordered_json;
  json = {{"computed", state.content != nullptr && !computing()}, {"pieces", 0}};
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
  Json ranks = Json::array();
  for (const RankLane& lane : content.ranks.lanes)
    ranks.push_back({{"rank", lane.rank}, {"time_ns", lane.time_ns}});
  json["ranks"] = ranks;
  json["sliders"] = content.sliders;
  json["forecasts"] = forecasts_json(state);
  json["forecast"] = state.forecast ? Json(*state.forecast) : Json();
  json["settings"] = state.settings();
  const bool retimed = state.retimed != nullptr && !state.chosen.empty();
  json["retimed_ns"] = retimed ? Json(state.retimed->window.length_ns()) : Json();
  json["problem"] = retimed ? state.retimed->problem.str() : std::string();
  json["piece"] = state.piece ? Json(*state.piece) : Json();
  json["table"] = tab_key(state.tab);
  json["rows"] = content.tables[static_cast<std::size_t>(state.tab)].rows.size();
  for (const auto& [name, box] :
       {std::pair{"bar", state.boxes.bar}, std::pair{"list", state.boxes.forecasts},
        std::pair{"lanes", state.boxes.lanes}, std::pair{"path_lane", state.boxes.path},
        std::pair{"ranks_box", state.boxes.ranks}, std::pair{"settings_box", state.boxes.settings},
        std::pair{"table_box", state.boxes.table}})
    json[name] = {box.left, box.top, box.right, box.bottom};
}

}  // namespace kino
