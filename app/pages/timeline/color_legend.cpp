#include "app/pages/timeline/color_legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/pages/timeline/overlays/idle_reasons.hpp"
#include "app/ui/text/model_texts.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/hatching.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/time_base.hpp"
#include "core/trace/slice_kind.hpp"

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

/// Returns the kinds of the trace's names. Unused names have the kind `other`, which is therefore left out.
std::vector<LegendEntry> entries_of_kinds(const Trace& trace, const Theme& theme) {
  std::array<bool, kSliceKindCount> used{};
  for (const SliceKind kind : trace.name_kind) used[static_cast<std::size_t>(kind)] = true;
  std::vector<LegendEntry> entries;
  for (std::uint32_t i = 0; i < kSliceKindCount; ++i) {
    const auto kind = static_cast<SliceKind>(i);
    if (!used[i] || kind == SliceKind::other) continue;
    entries.push_back({kind_color(kind, theme), in_language(shown_name(kind)), i});
  }
  return entries;
}

}  // namespace

std::vector<LegendEntry> legend_entries(const SliceStyle& look, const Theme& theme) {
  const ColorMode mode = look.shown_mode();
  if (mode == ColorMode::duration) return {};
  if (mode == ColorMode::name) return entries_of_kinds(look.trace(), theme);
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
    LegendEntry entry{look.palette()[key], {}, key};
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

std::vector<LegendEntry> idle_entries(const std::array<bool, kIdleReasonCount>& reasons,
                                      std::string_view device, const Theme& theme) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < kIdleReasonCount; ++i) {
    if (!reasons[i]) continue;
    const auto reason = static_cast<IdleReason>(i);
    entries.push_back({idle_color(reason, theme), filled(Text::inspector_idle, {reason_text(reason, device)}),
                       idle_key(reason), true});
  }
  return entries;
}

void ColorLegend::refresh(const SliceStyle& look, const Theme& theme) {
  language_ = language();
  of_slices_ = legend_entries(look, theme);
  device_ = device_word(look.trace());
  of_idle_ = idle_entries(reasons_, device_, theme);
  const ColorMode before = std::exchange(mode_, look.shown_mode());
  if (before != mode_) chosen_.reset();
  join_entries();
}

bool ColorLegend::show_reasons(const std::array<bool, kIdleReasonCount>& reasons, const Theme& theme) {
  if (reasons == reasons_) return false;
  reasons_ = reasons;
  of_idle_ = idle_entries(reasons_, device_, theme);
  join_entries();
  const bool offered = !chosen_ || *chosen_ < idle_key(IdleReason{}) ||
                       std::ranges::find(of_idle_, *chosen_, &LegendEntry::key) != of_idle_.end();
  if (offered) return false;
  chosen_.reset();
  return true;
}

void ColorLegend::join_entries() {
  entries_ = of_slices_;
  entries_.insert(entries_.end(), of_idle_.begin(), of_idle_.end());
  places_.clear();
}

bool ColorLegend::dims_brackets() const {
  const bool by_kind = mode_ == ColorMode::kind || mode_ == ColorMode::name;
  return chosen_ && !(by_kind && *chosen_ == static_cast<std::uint32_t>(SliceKind::gpu_annotation));
}

bool ColorLegend::handle(const TimelineState& state) {
  const Box& box = state.boxes.legend;
  if (box.height() < 1) return false;
  place_button("legend", box);
  if (!ImGui::IsItemClicked(ImGuiMouseButton_Left)) return false;
  const float x = ImGui::GetIO().MousePos.x;
  for (std::size_t i = 0; i < std::min(places_.size(), entries_.size()); ++i) {
    if (x < places_[i].left || x >= places_[i].right) continue;
    const std::uint32_t key = entries_[i].key;
    chosen_ = chosen_ == key ? std::nullopt : std::optional(key);
    return true;
  }
  return std::exchange(chosen_, std::nullopt).has_value();
}

std::vector<std::uint32_t> ColorLegend::palette(const SliceStyle& look) const {
  constexpr std::uint32_t kDimmed = 0x30;  // alpha
  std::vector<std::uint32_t> colors(look.palette().begin(), look.palette().end());
  if (!chosen_) return colors;
  const std::vector<SliceKind>& kinds = look.trace().name_kind;
  for (std::uint32_t i = 0; i < colors.size(); ++i) {
    const bool by_name = look.shown_mode() == ColorMode::name;
    const std::uint32_t key = !by_name ? i : i < kinds.size() ? static_cast<std::uint32_t>(kinds[i]) : ~0U;
    if (key != *chosen_) colors[i] = with_alpha(colors[i], kDimmed);
  }
  return colors;
}

void ColorLegend::draw_entries(ImDrawList& list, const Box& box, float x, const TimelineState& state,
                               const Theme& theme) {
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  const float square = state.px(9);
  const float square_y = std::floor(box.top + (box.height() - square) / 2);
  const float right = box.right - state.px(12);
  const float gap = state.px(5);
  const float space = state.px(14);
  const float more_width = text_width(filled(Text::and_more, {"00"}));
  places_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const LegendEntry& entry = entries_[i];
    const float width = square + gap + text_width(entry.text);
    const bool last = i + 1 == entries_.size();
    if (x + width + (last ? 0 : space + more_width) > right) {
      const std::string more =
          filled(i == 0 ? Text::legend_colors : Text::and_more, {std::to_string(entries_.size() - i)});
      draw_elided(list, {x, text_y}, right - x, theme.accent, more);
      return;
    }
    constexpr std::uint32_t kDimmed = 0x50;
    const bool dimmed = chosen_ && *chosen_ != entry.key;
    const std::uint32_t color = dimmed ? with_alpha(entry.color, kDimmed) : entry.color;
    const ImVec2 from{x, square_y};
    const ImVec2 to{x + square, square_y + square};
    list.AddRectFilled(from, to, entry.idle ? with_alpha(color, dimmed ? 0x20 : 0x60) : color, state.px(2));
    if (entry.idle) add_hatching(list, from, to, color, state.scale);
    draw_elided(list, {x + square + gap, text_y}, width, chosen_ && !dimmed ? theme.text : theme.text_dim,
                entry.text);
    places_.push_back({x - space / 2, x + width + space / 2});
    x += width + space;
  }
}

void ColorLegend::draw(ImDrawList& list, const TimelineState& state, const SliceStyle& look,
                       const Theme& theme) {
  const Box& box = state.boxes.legend;
  if (box.height() < 1) return;
  if (language_ != language()) refresh(look, theme);
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  list.AddLine({box.left, box.top + 0.5F}, {box.right, box.top + 0.5F}, theme.border);
  const float text_y = std::floor(box.top + (box.height() - ImGui::GetFontSize()) / 2);
  float x = box.left + state.px(12);
  x += draw_elided(list, {x, text_y}, box.width() * 0.5F, theme.text, title_of(look));
  // Entries begin below the tracks, if the title leaves this room.
  x = std::max(x + state.px(16), state.boxes.tracks.left);
  if (look.shown_mode() == ColorMode::duration) {
    draw_ramp(list, box, x, state, look, theme);
  } else {
    draw_entries(list, box, x, state, theme);
  }
  draw_tooltip(state, look, theme);
}

void ColorLegend::draw_tooltip(const TimelineState& state, const SliceStyle& look, const Theme& theme) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (entries_.empty() || !state.boxes.legend.contains(mouse.x, mouse.y) || !ImGui::IsWindowHovered()) return;
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
  if (look.shown_mode() == ColorMode::module)
    colored_text(theme.text_dim, with_device_word(tr(Text::legend_module_times), device_));
  colored_text(theme.text_dim, tr(Text::legend_hint));
  ImGui::EndTooltip();
}

void ColorLegend::write_test_state(nlohmann::ordered_json& json) const {
  auto places = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min(places_.size(), entries_.size()); ++i)
    places.push_back({{"text", entries_[i].text}, {"left", places_[i].left}, {"right", places_[i].right}});
  json["legend"] = {{"entries", std::move(places)},
                    {"chosen", chosen_ ? nlohmann::ordered_json(*chosen_) : nullptr}};
}

}  // namespace kino
