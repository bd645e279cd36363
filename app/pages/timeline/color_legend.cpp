#include "app/pages/timeline/color_legend.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <imgui.h>

#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostEntries = 60;  // limit; more than fit into the strip or the tooltip

const char* title_of(const SliceStyle& look) {
  switch (look.shown_mode()) {
    case ColorMode::name:
      return tr(Text::command_color_by_name);
    case ColorMode::kind:
      return tr(Text::command_color_by_kind);
    case ColorMode::stream:
      return tr(Text::command_color_by_stream);
    case ColorMode::module:
      if (look.groups().size() < 2) return tr(Text::legend_no_modules);
      return look.trace().name_text(look.groups()[1].name).starts_with("nn.Module: ")
                 ? tr(Text::command_color_by_module)
                 : tr(Text::legend_annotations);
    case ColorMode::duration:
      return tr(Text::legend_duration);
  }
  return "";
}

void draw_ramp(ImDrawList& list, const Box& box, float x, const TimelineState& state, const SliceStyle& look,
               const Theme& theme) {
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  const float gap = state.px(6);
  const float right = box.right - state.px(12);
  const auto words = [&](const char* text) {
    x += draw_elided(list, {x, text_y}, right - x, theme.text_dim, text) + gap;
  };
  const float bar = std::min(state.px(202), right - x - text_width(tr(Text::legend_shortest)) -
                                                text_width(tr(Text::legend_longest)) - 2 * gap);
  words(tr(Text::legend_shortest));
  if (bar < state.px(20)) return;
  const float height = state.px(10);
  const float top = std::floor(box.top + (box.height() - height) / 2);
  const float step = bar / static_cast<float>(kPercentiles);
  for (std::uint32_t i = 0; i < kPercentiles; ++i) {
    const float at = x + step * static_cast<float>(i);
    list.AddRectFilled({std::floor(at), top}, {std::floor(at + step), top + height}, look.palette()[i]);
  }
  for (const float share : {0.25F, 0.5F, 0.75F}) {
    const float at = std::floor(x + bar * share) + 0.5F;
    list.AddLine({at, top + height}, {at, top + height + state.px(3)}, theme.text_dim);
  }
  x += bar + gap;
  words(tr(Text::legend_longest));
  const float square = state.px(10);
  const char* const few = tr(Text::legend_too_few);
  if (x + 2 * gap + square + text_width(few) > right) return;
  x += 2 * gap;
  list.AddRectFilled({x, top}, {x + square, top + square}, look.palette()[kTooFewKey], state.px(2));
  x += square + gap;
  words(few);
}

}  // namespace

std::vector<LegendEntry> legend_entries(const SliceStyle& look) {
  const ColorMode mode = look.shown_mode();
  if (mode == ColorMode::name || mode == ColorMode::duration) return {};
  const std::vector<PaintGroup>& groups = look.groups();
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < groups.size(); ++key) {
    if (groups[key].slices > 0) keys.push_back(key);
  }
  if (mode == ColorMode::module) {
    std::stable_sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto rank = [&](std::uint32_t key) {
        return std::tuple(key != kNoModuleKey, groups[key].gpu_ns, groups[key].slices);
      };
      return rank(a) > rank(b);
    });
  }
  std::vector<LegendEntry> entries;
  for (const std::uint32_t key : keys) {
    if (entries.size() == kMostEntries) break;
    LegendEntry entry{look.palette()[key], {}};
    if (mode == ColorMode::kind) {
      entry.text = in_language(shown_name(static_cast<SliceKind>(key)));
    } else if (mode == ColorMode::stream) {
      entry.text = name_text(look.trace(), key);
    } else if (key == kNoModuleKey) {
      entry.text = tr(Text::legend_no_group);
    } else {
      entry.text = SliceStyle::short_text(look.trace().name_text(groups[key].name));
      if (groups[key].gpu_ns > 0) entry.text += "  " + text_from_duration(groups[key].gpu_ns);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void ColorLegend::draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                               const Theme& theme) const {
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  const float square = state.px(9);
  const float square_y = std::floor(box.top + (box.height() - square) / 2);
  const float right = box.right - state.px(12);
  const float gap = state.px(5);
  const float more_width = text_width(filled(Text::and_more, {"00"}));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const float width = square + gap + text_width(entries_[i].text);
    const bool last = i + 1 == entries_.size();
    if (x + width + (last ? 0 : state.px(14) + more_width) > right) {
      const std::string more =
          filled(i == 0 ? Text::legend_colors : Text::and_more, {std::to_string(entries_.size() - i)});
      draw_elided(list, {x, text_y}, right - x, theme.accent, more);
      return;
    }
    list.AddRectFilled({x, square_y}, {x + square, square_y + square}, entries_[i].color, state.px(2));
    draw_elided(list, {x + square + gap, text_y}, width, theme.text_dim, entries_[i].text);
    x += width + state.px(14);
  }
}

void ColorLegend::draw(ImDrawList& list, const TimelineState& state, const SliceStyle& look,
                       const Theme& theme) const {
  const Box& box = state.boxes.legend;
  if (box.height() < 1) return;
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, theme.border);
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  float x = box.left + state.px(12);
  x += draw_elided(list, {x, text_y}, box.width() * 0.5F, theme.text, title_of(look));
  x += state.px(16);
  if (look.shown_mode() == ColorMode::duration) {
    draw_ramp(list, box, x, state, look, theme);
  } else {
    draw_entries(list, box, x, state, theme);
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (entries_.empty() || !box.contains(mouse.x, mouse.y) || !ImGui::IsWindowHovered()) return;
  ImGui::BeginTooltip();
  constexpr std::size_t kListed = 30;
  for (std::size_t i = 0; i < std::min(kListed, entries_.size()); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float square = state.px(9);
    const float top = std::floor(at.y + (ImGui::GetTextLineHeight() - square) / 2);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + square, top + square}, entries_[i].color,
                                              state.px(2));
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + square + state.px(7));
    colored_text(theme.text, entries_[i].text);
  }
  if (look.shown_mode() == ColorMode::module) colored_text(theme.text_dim, tr(Text::legend_module_times));
  ImGui::EndTooltip();
}

}  // namespace kino
