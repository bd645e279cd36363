#include "app/ui/widgets/widgets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <imgui_internal.h>

#include "app/ui/widgets/keys.hpp"
#include "app/ui/widgets/line_breaks.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "core/base/ascii.hpp"
#include "core/trace/name_text.hpp"

namespace kino {
namespace {

void draw_text(std::string_view text) {
  const float wrap = ImGui::GetCurrentWindow()->DC.TextWrapPos;
  if (wrap < 0) return ImGui::TextUnformatted(text.data(), text.data() + text.size());
  const float width = ImGui::CalcWrapWidthForPos(ImGui::GetCursorScreenPos(), wrap);
  const std::string lines = with_line_breaks(text, width);
  ImGui::PushTextWrapPos(-1);
  ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
  ImGui::PopTextWrapPos();
}

/// Begins a tooltip whose padding does not depend on the window that shows it.
void begin_padded_tooltip() {
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {std::round(em * 0.7F), std::round(em * 0.5F)});
  ImGui::BeginTooltip();
  ImGui::PopStyleVar();
}

/// Returns the horizontal pivot of a tooltip at the mouse. It keeps the tooltip inside the window at every
/// position of the mouse.
float pivot_at(ImVec2 mouse, ImVec2 display) {
  return std::clamp(mouse.x / std::max(1.0F, display.x), 0.0F, 1.0F);
}

}  // namespace

void colored_text(std::uint32_t color, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  draw_text(text.size() <= kMostDrawnBytes ? text : cut_text(text, kMostDrawnBytes));
  ImGui::PopStyleColor();
}

void fitted_text(std::uint32_t color, std::string_view text) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (text_width(text) <= room) return colored_text(color, text);
  draw_cell_text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), room, color, text);
  ImGui::Dummy({std::max(1.0F, room), ImGui::GetTextLineHeight()});
}

void right_aligned_text(std::uint32_t color, std::string_view text) {
  const float free = ImGui::GetContentRegionAvail().x - text_width(text);
  if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
  fitted_text(color, text);
}

void wrapped_tooltip(std::string_view text) {
  begin_padded_tooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 40);
  draw_text(head_of(text, kMostDrawnBytes));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void wrapped_tooltip_below(float y, std::string_view text) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetNextWindowPos({io.MousePos.x, y}, ImGuiCond_Always, {pivot_at(io.MousePos, io.DisplaySize), 0});
  wrapped_tooltip(text);
}

TooltipPlace tooltip_place(ImVec2 mouse, ImVec2 display, float top, float bottom, float height) {
  const bool above = top >= height || top >= display.y - bottom;
  return {{mouse.x, above ? std::max(top, height) : bottom}, {pivot_at(mouse, display), above ? 1.0F : 0.0F}};
}

void place_next_tooltip(float top, float bottom, float height) {
  const ImGuiIO& io = ImGui::GetIO();
  const float gap = std::round(ImGui::GetFontSize() / 4);
  const float whole = height + 2 * ImGui::GetStyle().WindowPadding.y;
  const TooltipPlace place = tooltip_place(io.MousePos, io.DisplaySize, top - gap, bottom + gap, whole);
  ImGui::SetNextWindowPos(place.position, ImGuiCond_Always, place.pivot);
}

void place_popup_at_item() {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  const bool above = to.y > display.y / 2;
  const bool leftwards = from.x > display.x / 2;
  ImGui::SetNextWindowPos({leftwards ? to.x : from.x, above ? from.y : to.y}, ImGuiCond_Appearing,
                          {leftwards ? 1.0F : 0.0F, above ? 1.0F : 0.0F});
}

void wrapped_text(std::uint32_t color, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  colored_text(color, text);
  ImGui::PopTextWrapPos();
}

std::string fitted_in_middle(std::string_view text, float width) {
  if (text.size() <= kMostDrawnBytes && text_width(text) <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  const auto shortened = [&](std::size_t kept) {
    std::size_t head = kept - kept / 3;
    std::size_t tail = text.size() - kept / 3;
    while (head > 0 && continues_character(text[head])) --head;
    while (tail < text.size() && continues_character(text[tail])) ++tail;
    return std::string(text.substr(0, head)) + std::string(kEllipsis) + std::string(text.substr(tail));
  };
  // Bisect, since the width grows with the number of bytes.
  std::size_t fits = 0;
  std::size_t too_wide = std::min(text.size(), kMostDrawnBytes);
  while (fits + 1 < too_wide) {
    const std::size_t middle = (fits + too_wide) / 2;
    (text_width(shortened(middle)) <= width ? fits : too_wide) = middle;
  }
  return shortened(fits);
}

std::string with_id(Text text, const char* id) { return std::string(tr(text)) + "###" + id; }

bool popup_closed_by_escape() {
  if (!key_pressed(NamedKey::escape)) return false;
  ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return true;
}

bool popup_open() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

float flat_button_width(const char* label) {
  return ImGui::CalcTextSize(label, nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

bool flat_button(const char* label, const char* hint) {
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleColor();
  if (hint != nullptr && ImGui::IsItemHovered()) {
    begin_padded_tooltip();
    ImGui::TextUnformatted(hint);
    ImGui::EndTooltip();
  }
  return pressed;
}

bool accent_button(const char* label, const Theme& theme) {
  const ImVec4 accent = ImGui::ColorConvertU32ToFloat4(theme.accent);
  ImGui::PushStyleColor(ImGuiCol_Button, accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered,
                        ImVec4(accent.x * 0.92F, accent.y * 0.92F, accent.z * 0.92F, 1));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive,
                        ImVec4(accent.x * 0.84F, accent.y * 0.84F, accent.z * 0.84F, 1));
  ImGui::PushStyleColor(ImGuiCol_Text, text_on(theme.accent, theme));
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleColor(4);
  return pressed;
}

ImVec2 item_center() {
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  return {(from.x + to.x) / 2, (from.y + to.y) / 2};
}

void begin_panel(const char* id, ImVec2 size, const Theme& theme, ImVec2 padding, ImGuiWindowFlags flags) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

float table_row_height() { return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

void begin_card(const char* id, float width_em) {
  const ImVec2 region = ImGui::GetContentRegionAvail();
  const float margin = ImGui::GetFontSize();
  const float width = std::max(margin, std::min(width_em * ImGui::GetFontSize(), region.x - 2 * margin));
  // Content that does not fit scrolls.
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + (region.x - width) / 2);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild(id, ImVec2(width, region.y), false);
  float* height = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("height"), 0);
  const float free = region.y - *height;
  if (*height > 0 && free > 0) ImGui::SetCursorPosY(free * 0.42F);
  ImGui::BeginGroup();
}

void end_card() {
  ImGui::EndGroup();
  float* height = ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("height"), 0);
  *height = ImGui::GetItemRectSize().y;
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace kino
