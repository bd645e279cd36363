#include "app/pages/timeline/pointing/range_chip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "app/pages/timeline_drawer/compare_page.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/ruler.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

// At scale 1.
constexpr float kHeightPx = 24;
constexpr float kPaddingPx = 9;
constexpr float kTopPx = 4;

constexpr double kZoomMargin = 0.05;  // margin of a fitted range, as for the key F

struct ChipButton {
  const char* id;
  Text label;
  Text hint;
};
constexpr std::array kButtons = {ChipButton{"chip_zoom", Text::range_zoom, Text::range_zoom_hint},
                                 ChipButton{"chip_save", Text::range_save, Text::range_save_hint},
                                 ChipButton{"chip_compare", Text::range_compare, Text::range_compare_hint}};

std::string text_of_part(const TimelineState& state, std::size_t part) {
  if (part > 0) return tr(kButtons[part - 1].label);
  return ruler_duration_text(ruler_scale(state.navigation.view(), state.px(kTickDistancePx)),
                             state.marked.range()->length_ns());
}

char next_letter(const TimelineState& state) { return state.kept.find('A') == nullptr ? 'A' : 'B'; }

std::string hint_of(const TimelineState& state, std::size_t button) {
  const Text hint = kButtons[button].hint;
  // The key F fits the selected slice, if there is one.
  if (button == 0) return state.selection.any() ? tr(hint) : hint_with_key(hint, CommandId::fit_selection);
  if (button == 1) return hint_with_key(hint, CommandId::keep_part);
  return hint_with_key(hint, next_letter(state) == 'A' ? CommandId::mark_a : CommandId::mark_b);
}

void carry_out_button(TimelineState& state, std::size_t button) {
  if (button == 0) {
    state.navigation.fit(*state.marked.range(), kZoomMargin);
    return;
  }
  state.drawer.show(drawer_page::kRange);  // saves the range, not the selected slice
  ComparePage::keep(state, button == 1 ? '\0' : next_letter(state));
}

}  // namespace

bool RangeChip::place(const TimelineState& state) {
  const std::optional<TimeRange>& range = state.marked.range();
  if (!range || state.marked.dragging()) return false;
  const Box& tracks = state.boxes.tracks;
  const float begin = state.screen_x(range->begin_ns);
  const float end = state.screen_x(range->end_ns);
  if (end < tracks.left || begin > state.boxes.scrollbar.left) return false;
  float width = 0;
  std::array<float, kParts> widths{};
  for (std::size_t i = 0; i < kParts; ++i) {
    widths[i] = std::ceil(text_width(text_of_part(state, i))) + 2 * state.px(kPaddingPx);
    width += widths[i];
  }
  const float most = state.boxes.scrollbar.left - width;
  const float height = state.px(kHeightPx);
  if (most < tracks.left || tracks.height() < 2 * height) return false;
  const float middle = (std::max(begin, tracks.left) + std::min(end, state.boxes.scrollbar.left)) / 2;
  float x = std::floor(std::clamp(middle - width / 2, tracks.left, most));
  const float top = tracks.top + state.px(kTopPx);
  for (std::size_t i = 0; i < kParts; ++i) {
    boxes_[i] = {x, top, x + widths[i], top + height};
    x += widths[i];
  }
  return true;
}

void RangeChip::handle(TimelineState& state) {
  hovered_ = kParts;
  visible_ = place(state);
  if (!visible_) return;
  place_button("chip_length", boxes_[0]);  // keeps the mouse from the slices below
  for (std::size_t i = 0; i < kButtons.size(); ++i) {
    const Box& box = boxes_[i + 1];
    ImGui::SetCursorScreenPos(left_top(box));
    const bool clicked = ImGui::InvisibleButton(kButtons[i].id, {box.width(), box.height()});
    if (ImGui::IsItemHovered()) {
      hovered_ = i + 1;
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      wrapped_tooltip(hint_of(state, i));
    }
    if (clicked) carry_out_button(state, i);
  }
}

std::optional<Box> RangeChip::box() const {
  if (!visible_) return std::nullopt;
  return Box{boxes_.front().left, boxes_.front().top, boxes_.back().right, boxes_.back().bottom};
}

void RangeChip::draw(ImDrawList& list, const TimelineState& state, const Theme& theme) const {
  if (!visible_ || !state.marked.range() || state.marked.dragging()) return;
  const Box whole = *box();
  const float round = state.px(5);
  list.AddRectFilled(left_top(whole), right_bottom(whole), theme.panel, round);
  list.AddRectFilled(left_top(boxes_[0]), right_bottom(boxes_[0]), theme.accent, round,
                     ImDrawFlags_RoundCornersLeft);
  for (std::size_t i = 0; i < kParts; ++i) {
    const Box& box = boxes_[i];
    if (i == hovered_) list.AddRectFilled(left_top(box), right_bottom(box), with_alpha(theme.accent, 0x40));
    if (i > 1) list.AddLine(left_top(box), {box.left, box.bottom}, theme.border);
    const ImVec2 at{box.left + state.px(kPaddingPx),
                    std::floor((box.top + box.bottom - ImGui::GetFontSize()) / 2)};
    list.AddText(at, i == 0 ? theme.window : theme.text, text_of_part(state, i).c_str());
  }
  list.AddRect(left_top(whole), right_bottom(whole), theme.accent, round);
}

nlohmann::ordered_json RangeChip::test_state() const {
  if (!visible_) return {};
  nlohmann::ordered_json places;
  constexpr std::array kNames = {"length", "zoom", "save", "compare"};
  for (std::size_t i = 0; i < kParts; ++i) {
    const Box& box = boxes_[i];
    places[kNames[i]] = {(box.left + box.right) / 2, (box.top + box.bottom) / 2};
  }
  return places;
}

}  // namespace kino
