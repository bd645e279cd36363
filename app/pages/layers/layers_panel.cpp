#include "app/pages/layers/layers_panel.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/layers/folded_lane.hpp"
#include "app/pages/layers/heat_strip.hpp"
#include "app/pages/layers/layers_list.hpp"
#include "app/pages/layers/layers_state.hpp"
#include "app/system/background_result.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/bar_line.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/layers/layer_table.hpp"

namespace kino {
namespace {

constexpr std::array kChoosableSources{LayerSource::none, LayerSource::modules, LayerSource::annotations,
                                       LayerSource::names, LayerSource::alike};

void append_sentences(std::string& text, std::span<const Message> sentences) {
  for (const Message& sentence : sentences) text += (text.empty() ? "" : " ") + in_language(sentence);
}

void draw_layers_head(const LayersState& state) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(8));
  ImGui::Indent(state.px(14));
  ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x - state.px(14));
  std::string rest;
  if (state.content == nullptr) {
    wrapped_text(state.theme.text, tr(state.failed ? Text::not_enough_memory : Text::layers_computing));
  } else if (!state.has_layers()) {
    ImGui::PushFont(heading_font());
    const LayerSource wanted = state.content->folded.wanted;
    wrapped_text(state.theme.text, in_language(nothing_found(wanted)));
    ImGui::PopFont();
    rest = tr(state.content->has_modules ? Text::layers_modules_too_few : Text::layers_record_modules);
    if (state.fold().operators) rest += " " + in_language(msg::operators_take_the_place_of_kernels);
  } else {
    const std::vector<Message>& verdict = state.content->verdict;
    ImGui::PushFont(heading_font());
    wrapped_text(
        state.theme.text,
        escaped(verdict.empty() ? tr(state.alike_text(Text::layers_too_few, Text::layers_alike_too_few))
                                : in_language(verdict.front())));
    ImGui::PopFont();
    if (!verdict.empty()) append_sentences(rest, std::span(verdict).subspan(1));
    append_sentences(rest, state.content->notes[state.view_index]);
  }
  if (!rest.empty()) wrapped_text(state.theme.text_dim, escaped(rest));
  ImGui::PopTextWrapPos();
  ImGui::Unindent(state.px(14));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + state.px(6));
}

std::string view_text(const LayersState& state) {
  const std::string label = escaped(in_language(stack_label(state.stack())));
  const std::size_t count = state.content->views.size();
  return count == 1 ? label
                    : filled(Text::layers_stack_of, {grouped(state.view_index + 1), grouped(count), label});
}

/// Facts about the shown stack. Each term is explained by a tooltip at its first use.
std::vector<BarText> bar_facts(const LayersState& state) {
  const Theme& theme = state.theme;
  const LayerFold& fold = state.fold();
  const LayerStack& stack = state.stack();
  const bool alike = fold.source == LayerSource::alike;
  std::uint64_t copies = 0;
  std::uint64_t odd = 0;
  for (const LayerGrid& grid : state.view().grids) {
    copies += grid.cells().size();
    odd += static_cast<std::uint64_t>(std::ranges::count_if(grid.cells(), &LayerCell::odd));
  }
  std::vector<BarText> parts{
      {theme.text, view_text(state), {}, device_text(Text::layers_stack_hint, state.trace())},
      {theme.text_dim,
       filled(state.alike_text(Text::layers_and_passes, Text::layers_alike_passes),
              {grouped(stack.layers), grouped(stack.passes.size())}),
       {},
       tr(Text::layers_pass_hint)},
      {theme.text_dim,
       alike ? std::string(tr(Text::layers_alike_guess))
             : filled(Text::layers_found_by, {fold_source_text(fold.source)}),
       {},
       tr(state.alike_text(Text::layers_source_hint, Text::layers_alike_hint))}};
  if (fold.total_ns > 0) {
    const double share = static_cast<double>(fold.placed_ns) / static_cast<double>(fold.total_ns);
    parts.push_back({theme.text_dim, filled(state.alike_text(fold.operators ? Text::layers_share_of_operators
                                                                            : Text::layers_share_of_gpu,
                                                             Text::layers_alike_share),
                                            {text_from_share(share), text_from_duration(fold.placed_ns)})});
  }
  parts.push_back({theme.text_dim,
                   filled(Text::layers_odd, {grouped(odd), grouped(copies)}),
                   {},
                   tr(state.alike_text(Text::layers_odd_hint, Text::layers_alike_odd_hint))});
  return parts;
}

}  // namespace

struct LayersPanel::State : LayersState {
  std::shared_ptr<const Trace> source;
  WorkerPool* pool = nullptr;
  std::function<void()> wake;
  BackgroundResult<std::shared_ptr<const LayersContent>> made;

  void start() {
    computing = true;
    made.start(*pool, wake, [trace = source, wanted_source = wanted](const std::stop_token& stop) {
      return layers_content(trace, wanted_source, stop);
    });
  }

  /// Folds by the next source.
  void next_source() {
    const auto at = std::ranges::find(kChoosableSources, wanted) - kChoosableSources.begin();
    wanted = kChoosableSources[static_cast<std::size_t>(at + 1) % kChoosableSources.size()];
    start();
  }

  void next_view() {
    if (has_layers()) choose_view((view_index + 1) % content->views.size());
  }

  void handle_keys() {
    if (command_pressed(CommandId::next_outlier)) step_outlier(1);
    if (command_pressed(CommandId::previous_outlier)) step_outlier(-1);
    if (command_pressed(CommandId::next_layer)) step_layer(1);
    if (command_pressed(CommandId::previous_layer)) step_layer(-1);
    if (command_pressed(CommandId::next_pass)) step_pass(1);
    if (command_pressed(CommandId::previous_pass)) step_pass(-1);
    if (command_pressed(CommandId::next_layers_step)) step_step(1);
    if (command_pressed(CommandId::previous_layers_step)) step_step(-1);
    if (command_pressed(CommandId::next_stack)) next_view();
    if (command_pressed(CommandId::open_copy)) open_selection();
  }

  void draw_bar(ImDrawList& list) {
    list.AddRectFilled(left_top(boxes.bar), right_bottom(boxes.bar), theme.group_header);
    BarLine bar(list, boxes.bar, theme, scale);
    if (bar.button_at_end("source", filled(Text::layers_fold_by, {fold_source_text(wanted)}),
                          tr(Text::layers_fold_by_hint)))
      next_source();
    if (has_layers()) {
      if (bar.button_at_end("open", tr(Text::layers_show_in_timeline),
                            hint_with_key(Text::layers_show_hint, CommandId::open_copy)))
        open_selection();
      if (!view().outliers.empty() &&
          bar.button_at_end("outlier", tr(Text::layers_next_outlier),
                            hint_with_key(Text::layers_next_outlier_hint, CommandId::next_outlier)))
        step_outlier(1);
      if (content->views.size() > 1 &&
          bar.button_at_end(
              "stack", tr(Text::layers_next_stack),
              hint_with_key(device_text(Text::layers_stack_hint, trace()), CommandId::next_stack)))
        next_view();
    }
    std::vector<BarText> parts;
    if (computing) parts.push_back({theme.accent, tr(Text::layers_computing)});
    if (has_layers()) std::ranges::move(bar_facts(*this), std::back_inserter(parts));
    bar.texts(parts);
  }
};

std::vector<PageFact> LayersPanel::facts() const {
  return state_->source != nullptr ? trace_facts(*state_->source, {}) : std::vector<PageFact>();
}

LayersPanel::LayersPanel(std::shared_ptr<const Trace> trace, WorkerPool& pool, std::function<void()> wake)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(trace);
  state_->pool = &pool;
  state_->wake = std::move(wake);
  state_->start();
}

LayersPanel::~LayersPanel() = default;

void LayersPanel::poll() {
  State& state = *state_;
  if (const std::shared_ptr<const LayersContent>* done = state.made.poll();
      done != nullptr && *done != state.content)
    state.take(*done);
  state.computing = state.made.running();
  state.failed = state.made.failed();
}

bool LayersPanel::complete() const { return !state_->made.running(); }

std::vector<PageRequest> LayersPanel::take_requests() { return std::exchange(state_->requests, {}); }

void LayersPanel::draw_content(const PageFrame& frame, ImVec2 at, ImVec2 size) {
  State& state = *state_;
  state.theme = *frame.theme;
  state.scale = frame.scale;
  if (frame.keyboard && !ImGui::GetIO().WantTextInput) state.handle_keys();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, state.theme.panel);
  draw_layers_head(state);
  if (state.content == nullptr) return;
  place_layers(state, {at.x, at.y, at.x + size.x, at.y + size.y});
  if (state.boxes.bar.bottom > at.y + size.y) return;
  state.draw_bar(list);
  if (!state.has_layers() || state.boxes.heat.height() < 8 * ImGui::GetFontSize()) return;
  draw_heat_strip(list, state);
  draw_folded_lane(list, state);
  draw_layers_list(state);
}

void LayersPanel::write_test_state(nlohmann::ordered_json& json) const {
  const State& state = *state_;
  using Json = nlohmann::ordered_json;
  constexpr std::array kSourceNames{"automatic", "modules", "annotations", "names", "alike"};
  const auto name_of_source = [&](LayerSource named) {
    return kSourceNames[static_cast<std::size_t>(named)];
  };
  json = {{"computed", state.content != nullptr && !state.computing},
          {"wanted", name_of_source(state.wanted)},
          {"stacks", 0}};
  if (!state.has_layers()) return;
  json["source"] = name_of_source(state.fold().source);
  json["stack"] = state.view_index;
  json["stacks"] = state.content->views.size();
  json["layers"] = state.stack().layers;
  json["passes"] = state.stack().passes.size();
  json["grids"] = state.view().grids.size();
  Json slow_layers = Json::array();
  Json slow_cells = Json::array();
  for (const LayerOutlier& outlier : state.view().outliers) {
    if (outlier.pass) {
      slow_cells.push_back({outlier.layer, *outlier.pass});
    } else {
      slow_layers.push_back(outlier.layer);
    }
  }
  json["slow_layers"] = slow_layers;
  json["slow_cells"] = slow_cells;
  Json selected;
  if (state.selected) {
    selected = {{"grid", state.selected->grid}, {"layer", state.selected->layer}};
    selected["pass"] = state.selected->pass ? Json(*state.selected->pass) : Json();
  }
  json["selected"] = selected;
  json["outlier"] = state.outlier ? Json(*state.outlier) : Json();
  json["verdict"] = english_texts(state.content->verdict);
  for (const auto& [name, box] : {std::pair{"bar", state.boxes.bar}, std::pair{"heat", state.boxes.heat},
                                  std::pair{"lane", state.boxes.lane}, std::pair{"table", state.boxes.table}})
    json[name] = {box.left, box.top, box.right, box.bottom};
}

}  // namespace kino
