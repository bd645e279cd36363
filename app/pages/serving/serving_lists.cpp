#include "app/pages/serving/serving_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/pages/serving/part_chart.hpp"
#include "app/pages/serving/serving_verdict.hpp"
#include "app/pages/timeline/overlays/ruler_iterations.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/serving/serving_texts.hpp"

namespace kino {
namespace {

constexpr const char* kNoValue = "–";
constexpr ImGuiTableFlags kListFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerH |
                                       ImGuiTableFlags_SizingStretchProp;

/// Adds a column. All columns share the width of the list by their weights, so that none is cut off.
void add_list_column(const std::string& title, float weight) {
  ImGui::TableSetupColumn(title.c_str(), ImGuiTableColumnFlags_WidthStretch, weight);
}

std::string number_or_none(std::optional<std::int64_t> number) {
  return number && *number >= 0 ? grouped(static_cast<std::uint64_t>(*number)) : std::string(kNoValue);
}

/// Draws a square in the color of the phase, and the phase.
void draw_phase(const ServingState& state, IterationPhase phase, std::uint32_t color) {
  const float em = ImGui::GetFontSize();
  const float side = std::floor(0.7F * em);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + std::floor((em - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side},
                                            phase_color(phase, state.theme));
  ImGui::SetCursorScreenPos({at.x + side + state.px(6), at.y});
  fitted_text(color, phase == IterationPhase::unknown ? std::string(tr(Text::serving_unknown_phase))
                                                      : in_language(title_of(phase)));
}

void draw_number(std::uint32_t color, const std::string& words) {
  ImGui::TableNextColumn();
  right_aligned_text(color, words);
}

void draw_group_row(ServingState& state, std::size_t index) {
  const IterationGroup& group = state.content->groups[index];
  const bool enough = group.windows.count >= ServingContent::kLeastForPercentiles;
  const std::uint32_t color = enough ? state.theme.text : state.theme.text_dim;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(index));
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##row", &group == state.shown_group(), ImGuiSelectableFlags_SpanAllColumns))
    state.group = index;
  ImGui::SameLine(0, 0);
  draw_phase(state, group.phase, color);
  draw_number(color, group.batch > 0 ? requests_text(group.batch) : kNoValue);
  ImGui::TableNextColumn();
  fitted_text(color, text_of(group.launched_by));
  draw_number(color, grouped(group.windows.count));
  draw_number(color, text_from_duration(group.windows.p50_ns));
  draw_number(color, enough ? text_from_duration(group.windows.p90_ns) : kNoValue);
  draw_number(color, enough ? text_from_duration(group.windows.p99_ns) : kNoValue);
  const auto per_s = [](std::int64_t tokens, std::int64_t rate) {
    return number_or_none(tokens > 0 ? std::optional(rate) : std::nullopt);
  };
  draw_number(color, per_s(group.generated, group.generated_per_s()));
  draw_number(color, per_s(group.prefilled, group.prefilled_per_s()));
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (width > state.px(8)) {
    const Box bar{at.x, at.y + state.px(1), at.x + width, at.y + ImGui::GetFontSize() - state.px(1)};
    draw_stacked_parts(*ImGui::GetWindowDrawList(), bar, group.times, state.theme);
  }
  ImGui::PopID();
}

void draw_stall_row(ServingState& state, std::size_t index) {
  const Stall& stall = state.content->stalls[index];
  const Iteration& iteration = state.content->iterations.list[stall.iteration];
  const Theme& theme = state.theme;
  const bool selected = state.iteration == stall.iteration;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(index));
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##row", selected, ImGuiSelectableFlags_SpanAllColumns)) state.open(stall.iteration);
  ImGui::SameLine(0, 0);
  fitted_text(theme.text, grouped(stall.iteration));
  ImGui::TableNextColumn();
  draw_phase(state, iteration.phase, theme.text);
  draw_number(theme.text_dim, number_or_none(all_requests(iteration.sizes)));
  draw_number(theme.text_dim, number_or_none(iteration.tokens()));
  draw_number(theme.text_dim, text_from_duration(iteration.window ? iteration.window->begin_ns : 0));
  draw_number(theme.text_dim, text_from_duration(iteration.window_ns()));
  draw_number(theme.text, text_from_duration(stall.ns));
  ImGui::PopID();
}

/// Begins a table below the title of a box, with `note` px left at the bottom.
bool begin_list(const ServingState& state, const Box& box, const char* id, int columns, float note) {
  const float em = ImGui::GetFontSize();
  ImGui::SetCursorScreenPos({box.left + state.px(8), box.top + 2.1F * em});
  const ImVec2 size{box.width() - state.px(16), std::max(1.0F, box.height() - 2.4F * em - note)};
  return ImGui::BeginTable(id, columns, kListFlags, size);
}

}  // namespace

void draw_group_list(ServingState& state) {
  const Box& box = state.boxes.groups;
  const ServingContent& content = *state.content;
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({box.left, box.top + 0.5F}, {state.boxes.all.right, box.top + 0.5F}, state.theme.border);
  draw_serving_title(list, state, box, tr(Text::serving_groups), tr(Text::serving_groups_note));
  const float note = 1.7F * em;
  if (begin_list(state, box, "groups", 10, note)) {
    ImGui::TableSetupScrollFreeze(0, 1);
    add_list_column(in_language(msg::phase), 6.5F);
    add_list_column(in_language(msg::serving_requests), 4);
    add_list_column(in_language(msg::serving_launched_by), 5);
    add_list_column("n", 2.5F);
    for (const char* const title : {"p50", "p90", "p99"}) add_list_column(title, 6.5F);
    add_list_column(in_language(msg::serving_generated_per_s), 5.5F);
    add_list_column(in_language(msg::serving_prefilled_per_s), 5.5F);
    add_list_column(tr(Text::serving_parts_column), 4);
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(content.groups.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        draw_group_row(state, static_cast<std::size_t>(i));
    }
    ImGui::EndTable();
  }
  draw_elided(list, {box.left + state.px(14), box.bottom - note}, box.width() - state.px(28),
              state.theme.text_dim,
              filled(Text::serving_gray_note, {grouped(ServingContent::kLeastForPercentiles)}));
}

void draw_stall_list(ServingState& state) {
  const Box& box = state.boxes.stalls;
  const ServingContent& content = *state.content;
  const float em = ImGui::GetFontSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, state.theme.border);
  if (content.stalls.empty()) {
    draw_serving_title(list, state, box, in_language(msg::stalls_title), {});
    const Text sentence = content.generates() ? Text::serving_no_stalls : Text::serving_stalls_unknown;
    draw_elided(list, {box.left + state.px(14), std::floor(box.top + 2.2F * em)}, box.width() - state.px(28),
                state.theme.text_dim, tr(sentence));
    return;
  }
  draw_serving_title(list, state, box, in_language(msg::stalls_title),
                     in_language({msg::stalls_total, grouped(content.stalls.size()),
                                  text_from_duration(content.stalled_ns)}));
  const bool scrolls = std::exchange(state.scroll, false);
  if (!begin_list(state, box, "stalls", 7, 0)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  add_list_column(in_language(msg::iteration_index), 6);
  add_list_column(in_language(msg::phase), 7);
  add_list_column(in_language(msg::serving_requests), 5);
  add_list_column(in_language(msg::serving_tokens), 6);
  add_list_column(in_language(msg::start), 7);
  add_list_column(in_language(msg::iteration_window), 6);
  add_list_column(in_language(msg::stall_time), 6);
  ImGui::TableHeadersRow();
  const std::optional<std::size_t> selected =
      state.iteration ? content.stall_of(*state.iteration) : std::nullopt;
  if (scrolls && selected)
    ImGui::SetScrollY(static_cast<float>(*selected) * table_row_height() - box.height() / 3);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(content.stalls.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_stall_row(state, static_cast<std::size_t>(i));
  }
  ImGui::EndTable();
}

}  // namespace kino
