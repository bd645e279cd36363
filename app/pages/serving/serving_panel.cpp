#include "app/pages/serving/serving_panel.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/serving/iteration_plot.hpp"
#include "app/pages/serving/part_chart.hpp"
#include "app/pages/serving/serving_content.hpp"
#include "app/pages/serving/serving_lists.hpp"
#include "app/pages/serving/serving_state.hpp"
#include "app/pages/serving/serving_verdict.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

void draw_serving_head(const ServingState& state) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(8));
  ImGui::Indent(state.px(14));
  ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x - state.px(14));
  if (state.content == nullptr) {
    wrapped_text(state.theme.text, tr(state.failed ? Text::not_enough_memory : Text::serving_computing));
  } else {
    ImGui::PushFont(heading_font());
    wrapped_text(state.theme.text, serving_headline(*state.content));
    ImGui::PopFont();
    const std::string rest =
        state.content->empty() ? serving_advice(*state.content) : serving_evidence(*state.content);
    if (!rest.empty()) wrapped_text(state.theme.text_dim, rest);
  }
  ImGui::PopTextWrapPos();
  ImGui::Unindent(state.px(14));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(6));
}

/// Facts about the iterations, some with a tooltip.
std::vector<BarText> serving_facts(const ServingState& state) {
  const ServingContent& content = *state.content;
  const Theme& theme = state.theme;
  const std::size_t count = content.iterations.list.size();
  std::vector<BarText> parts;
  parts.push_back({theme.text,
                   filled(Text::serving_count, {grouped(count)}),
                   {},
                   escaped(in_language(source_text(content.iterations, count)))});
  parts.push_back({theme.text_dim, filled(Text::serving_used_count, {grouped(content.used())})});
  if (content.used() < count) {
    parts.push_back({theme.warning,
                     filled(Text::serving_left_out_count, {grouped(count - content.used())}),
                     {},
                     left_out_lines(content)});
  }
  if (const IterationGroup* const group = state.shown_group(); group != nullptr && group->generated > 0) {
    const auto rate = static_cast<std::uint64_t>(group->generated_per_s());
    parts.push_back(
        {theme.text_dim, filled(Text::serving_tokens_per_s, {group_text(*group), grouped(rate)})});
  }
  if (content.between_tokens.count >= ServingContent::kLeastForPercentiles) {
    parts.push_back({theme.text_dim,
                     filled(Text::serving_between, {text_from_duration(content.between_tokens.p50_ns),
                                                    text_from_duration(content.between_tokens.p99_ns)}),
                     {},
                     tr(Text::serving_between_hint)});
  }
  if (const auto stall = state.iteration ? content.stall_of(*state.iteration) : std::nullopt) {
    parts.push_back(
        {theme.accent, filled(Text::serving_stall_of, {grouped(*stall + 1), grouped(content.stalls.size()),
                                                       text_from_duration(content.stalls[*stall].ns)})});
  }
  return parts;
}

void draw_serving_bar(ImDrawList& list, ServingState& state) {
  list.AddRectFilled(left_top(state.boxes.bar), right_bottom(state.boxes.bar), state.theme.group_header);
  BarLine bar(list, state.boxes.bar, state.theme, state.scale);
  if (!state.content->stalls.empty() &&
      bar.button_at_end("next-stall", tr(Text::serving_next_stall),
                        hint_with_key(Text::serving_next_stall_hint, CommandId::next_stall)))
    state.step_stall(1);
  bar.texts(serving_facts(state));
}

void draw_limits(ImDrawList& list, const ServingState& state) {
  const Box& box = state.boxes.limits;
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, state.theme.border);
  draw_elided(list,
              {box.left + state.px(14), std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2)},
              box.width() - state.px(28), state.theme.text_dim, tr(Text::serving_not_recorded));
}

}  // namespace

struct ServingPanel::State : ServingState {
  std::shared_ptr<const Trace> source;
  BackgroundResult<std::shared_ptr<const ServingContent>> made;

  void handle_keys() {
    if (command_pressed(CommandId::next_stall)) step_stall(1);
    if (command_pressed(CommandId::previous_stall)) step_stall(-1);
    if (command_pressed(CommandId::next_iteration)) step_iteration(1);
    if (command_pressed(CommandId::previous_iteration)) step_iteration(-1);
    if (command_pressed(CommandId::next_iteration_group)) step_group(1);
    if (command_pressed(CommandId::previous_iteration_group)) step_group(-1);
    if (command_pressed(CommandId::open_iteration)) open_selection();
  }
};

std::vector<PageFact> ServingPanel::facts() const {
  return state_->source != nullptr ? trace_facts(*state_->source, {}) : std::vector<PageFact>();
}

ServingPanel::ServingPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(trace);
  state_->made.start(pool, std::move(wake), [from = state_->source](const std::stop_token& stop) {
    return serving_content(from, stop);
  });
}

ServingPanel::~ServingPanel() = default;

void ServingPanel::poll() {
  State& state = *state_;
  if (const std::shared_ptr<const ServingContent>* done = state.made.poll(); done != nullptr)
    state.content = *done;
  state.failed = state.made.failed();
}

bool ServingPanel::complete() const { return !state_->made.running(); }

std::vector<PageRequest> ServingPanel::take_requests() { return std::exchange(state_->requests, {}); }

void ServingPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, state.theme.panel);
  draw_serving_head(state);
  if (!state.has_iterations()) return;
  place_serving(state, {at.x, at.y, at.x + size.x, at.y + size.y});
  if (state.boxes.limits.top - state.boxes.bar.bottom < 20 * ImGui::GetFontSize()) return;
  draw_serving_bar(list, state);
  draw_iteration_plot(list, state);
  draw_group_list(state);
  draw_stall_list(state);
  draw_part_chart(list, state);
  draw_limits(list, state);
}

namespace {

nlohmann::ordered_json groups_json(const ServingContent& content) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const IterationGroup& group : content.groups) {
    rows.push_back({{"phase", text_of(group.phase)},
                    {"batch", group.batch},
                    {"n", group.windows.count},
                    {"p50_ns", group.windows.p50_ns},
                    {"total_ns", group.windows.sum_ns},
                    {"parts_ns", group.times.total()},
                    {"generated_per_s", group.generated_per_s()}});
  }
  return rows;
}

nlohmann::ordered_json stalls_json(const ServingContent& content) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Stall& stall : content.stalls)
    rows.push_back({{"iteration", stall.iteration}, {"ns", stall.ns}});
  return rows;
}

}  // namespace

void ServingPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  json = {{"computed", state.content != nullptr}, {"iterations", 0}};
  if (state.content == nullptr) return;
  const ServingContent& content = *state.content;
  json["iterations"] = content.iterations.list.size();
  json["source"] = text_of(content.iterations.source);
  json["headline"] = serving_headline(content);
  json["evidence"] = serving_evidence(content);
  json["advice"] = content.empty() ? serving_advice(content) : std::string();
  json["used"] = content.used();
  json["groups"] = groups_json(content);
  json["stalls"] = stalls_json(content);
  using Json = nlohmann::ordered_json;
  json["iteration"] = state.iteration ? Json(*state.iteration) : Json();
  json["group"] = state.group ? Json(*state.group) : Json();
  json["bars"] = content.bars.size();
  for (const auto& [name, box] :
       {std::pair{"plot", state.boxes.bars}, std::pair{"groups_box", state.boxes.groups},
        std::pair{"stalls_box", state.boxes.stalls}, std::pair{"parts_box", state.boxes.parts}})
    json[name] = {box.left, box.top, box.right, box.bottom};
}

}  // namespace kino
