#include "app/shell/tool_bar.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/ui/box/search_box.hpp"
#include "app/ui/text/load_estimate.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

struct TabResult {
  bool activate = false;
  bool close = false;
  bool reveal = false;
  bool copy_path = false;
  bool reload = false;
};

void draw_tab_menu(const Keymap& keys, TabResult& result) {
  if (!ImGui::BeginPopupContextItem("tab menu")) return;
  if (popup_closed_by_escape()) return;
  const auto item = [&](Text text, CommandId command) {
    return ImGui::MenuItem(tr(text), keys.first_key_text(command).c_str());
  };
  result.reveal = item(Text::reveal_in_folder, CommandId::reveal_in_folder);
  result.copy_path = item(Text::copy_path, CommandId::copy_path);
  result.reload = item(Text::document_reload, CommandId::reload);
  ImGui::Separator();
  result.close = item(Text::close, CommandId::close_tab);
  ImGui::EndPopup();
}

// Draws the cross of a tab as two lines, so that it is crisp at any scale. Returns whether the mouse is on
// the cross.
bool draw_close_cross(ImVec2 center, float radius, const Theme& theme) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 reach(radius * 2, radius * 2);
  const bool hovered = ImGui::IsMouseHoveringRect(ImVec2(center.x - reach.x, center.y - reach.y),
                                                  ImVec2(center.x + reach.x, center.y + reach.y));
  const ImU32 color = hovered ? theme.text : theme.text_dim;
  const float thickness = std::max(1.0F, radius * 0.35F);
  list.AddLine(ImVec2(center.x - radius, center.y - radius), ImVec2(center.x + radius, center.y + radius),
               color, thickness);
  list.AddLine(ImVec2(center.x - radius, center.y + radius), ImVec2(center.x + radius, center.y - radius),
               color, thickness);
  return hovered;
}

TabResult draw_tab(const Document& document, const std::string& title, bool active, bool beside, ImVec2 size,
                   const Keymap& keys, const Theme& theme) {
  TabResult result;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + size.x, min.y + size.y);
  const float padding = ImGui::GetFontSize() * 0.6F;
  ImGui::PushID(static_cast<int>(document.serial()));
  const bool clicked = ImGui::InvisibleButton("tab", size);
  const bool hovered = ImGui::IsItemHovered();
  const bool middle_clicked = hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle);
  draw_tab_menu(keys, result);
  ImGui::PopID();

  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (active || hovered) {
    list.AddRectFilled(min, max, active ? theme.track_area : theme.group_header, padding * 0.5F,
                       ImDrawFlags_RoundCornersTop);
  }
  if (active) list.AddRectFilled(ImVec2(min.x, max.y - padding * 0.25F), max, theme.accent);
  if (beside) {
    const std::uint32_t faint = (theme.accent & 0xffffffU) | 0x70000000U;
    list.AddRectFilled(ImVec2(min.x, max.y - padding * 0.25F), max, faint);
  }

  const float cross_radius = ImGui::GetFontSize() * 0.22F;
  const ImVec2 cross_center(max.x - padding - cross_radius, (min.y + max.y) / 2);
  const bool on_cross = (active || hovered) && draw_close_cross(cross_center, cross_radius, theme) && hovered;
  const bool failed = document.state() == Document::State::failed;
  const bool part_only = failed && document.page() != nullptr;
  const ImU32 color = part_only           ? theme.warning
                      : failed            ? theme.error
                      : active || hovered ? theme.text
                                          : theme.text_dim;
  const std::string text =
      fitted_in_middle(part_only ? escaped(title) + " (partial)" : escaped(title),
                       std::max(0.0F, cross_center.x - min.x - 2 * padding - cross_radius));
  list.AddText(ImVec2(min.x + padding, min.y + (size.y - ImGui::GetFontSize()) / 2), color, text.data(),
               text.data() + text.size());
  if (document.loading()) {
    const float share = share_done(document.progress());
    list.AddRectFilled(ImVec2(min.x, max.y - padding * 0.25F), ImVec2(min.x + size.x * share, max.y),
                       theme.warning);
  }
  if (hovered && !on_cross) wrapped_tooltip(escaped(document.path().string()));
  result.close = result.close || middle_clicked || (clicked && on_cross);
  result.activate = clicked && !on_cross;
  return result;
}

struct BarButton {
  const char* name = nullptr;  // id, and name in the state file
  std::string label;           // empty: an icon of three lines
  bool arrow = false;          // whether a menu opens below it
  Text hint{};
  CommandId command{};
};

float width_of(const BarButton& button) {
  const float em = ImGui::GetFontSize();
  const float label = button.label.empty() ? em * 1.1F : text_width(button.label);
  return std::ceil(label + (button.arrow ? em * 0.9F : 0) + 2 * ImGui::GetStyle().FramePadding.x);
}

/// Draws a button at ImGui's cursor that has a frame while it is hovered or its menu is `open`. Returns
/// whether it was clicked.
bool draw_button(const BarButton& button, bool open, const Theme& theme) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end{at.x + width_of(button), at.y + ImGui::GetFrameHeight()};
  const bool clicked = ImGui::InvisibleButton(button.name, {end.x - at.x, end.y - at.y});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered || open) list.AddRectFilled(at, end, theme.group_header, em * 0.25F);
  const float left = at.x + ImGui::GetStyle().FramePadding.x;
  const float middle = std::floor((at.y + end.y) / 2);
  if (button.label.empty()) {
    const float thickness = std::max(1.0F, std::round(em * 0.1F));
    for (const float y : {-0.34F, 0.0F, 0.34F}) {
      const float line = middle + std::round(y * em);
      list.AddLine({left, line}, {left + em * 1.1F, line}, theme.text, thickness);
    }
  } else {
    list.AddText({left, std::floor(middle - em / 2)}, theme.text, button.label.c_str());
  }
  if (button.arrow) {
    draw_fold_arrow(list, {end.x - ImGui::GetStyle().FramePadding.x - em * 0.2F, middle}, em * 0.45F, true,
                    theme.text_dim);
  }
  if (hovered && !popup_open()) wrapped_tooltip(hint_with_key(button.hint, button.command));
  return clicked;
}

constexpr float kWidestTabEm = 18;

/// Returns the width of the search box if it shares `room` with `tabs` tabs. It shrinks before the tabs do.
float box_width(float room, std::size_t tabs, float scale) {
  const float left = room - static_cast<float>(tabs) * kWidestTabEm * ImGui::GetFontSize();
  const float width = std::clamp(left, SearchBox::kLeastWidth * scale, SearchBox::kMostWidth * scale);
  return std::floor(std::max(ImGui::GetFontSize(), std::min(width, room * 0.6F)));
}

void draw_tabs(const Session& session, std::uint64_t beside, ImVec2 size, const Keymap& keys,
               const Theme& theme, std::uint64_t& shown_serial, ToolBarActions& actions) {
  const float em = ImGui::GetFontSize();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("tabs", size, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0)
    ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * 6 * em);
  const float count = static_cast<float>(std::max<std::size_t>(session.size(), 1));
  const ImVec2 tab_size(std::clamp(size.x / count, 7 * em, kWidestTabEm * em), size.y);
  for (std::size_t i = 0; i < session.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    const Document& document = session.document(i);
    const bool active = i == session.active();
    const TabResult tab =
        draw_tab(document, session.title(i), active, document.serial() == beside, tab_size, keys, theme);
    if (active && std::exchange(shown_serial, document.serial()) != document.serial())
      ImGui::SetScrollHereX();
    if (tab.activate) actions.activate = i;
    if (tab.close) actions.close = i;
    if (tab.reveal) actions.reveal = i;
    if (tab.copy_path) actions.copy_path = i;
    if (tab.reload) actions.reload = i;
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace

ToolBarActions ToolBar::draw(const Session& session, std::uint64_t beside, Menu open, const Keymap& keys,
                             const Theme& theme, float scale) {
  ToolBarActions actions;
  places.clear();
  const float height = ImGui::GetFrameHeight() + 8 * scale;
  const float button_y = (height - ImGui::GetFrameHeight()) / 2;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(origin, ImVec2(origin.x + width, origin.y + height), theme.panel);
  list.AddLine(ImVec2(origin.x, origin.y + height - 1), ImVec2(origin.x + width, origin.y + height - 1),
               theme.border);

  const float left = ImGui::GetCursorPosX();
  const float top = ImGui::GetCursorPosY();
  const float gap = ImGui::GetStyle().ItemSpacing.x * 0.5F;
  const auto button = [&](const BarButton& shown, Menu menu, MenuView::Place* place) {
    const bool clicked = draw_button(shown, menu != Menu::none && menu == open, theme);
    places.emplace_back(shown.name, item_center());
    if (clicked && place != nullptr) actions.menu = menu;
    if (place == nullptr) return clicked;
    const float x = place->from_right ? ImGui::GetItemRectMax().x : ImGui::GetItemRectMin().x;
    place->corner = {x, origin.y + height};
    return clicked;
  };
  const BarButton share{"share", tr(Text::bar_share), true, Text::command_share_menu, CommandId::share_menu};
  const BarButton help{"help", "?", false, Text::command_toggle_help, CommandId::toggle_help};
  const float right_width = width_of(share) + width_of(help) + 3 * gap;
  menus.share.from_right = true;

  ImGui::SetCursorPos(ImVec2(left + gap, top + button_y));
  button({"menu", {}, false, Text::command_main_menu, CommandId::main_menu}, Menu::main, &menus.main);
  ImGui::SameLine(0, gap);
  button({"open", tr(Text::bar_open), true, Text::bar_open_hint, CommandId::recent_files}, Menu::open,
         &menus.open);
  ImGui::SameLine(0, gap);

  const float tabs_x = ImGui::GetCursorPosX();
  const float box_gap = 2 * gap;
  const float box_end = left + width - right_width - gap;
  const float searching = box_width(box_end - tabs_x - box_gap, session.size(), scale);
  const float tabs_width = std::max(ImGui::GetFontSize(), box_end - searching - 2 * box_gap - tabs_x);
  const float box_right = origin.x - left + box_end - box_gap;
  const float box_top = std::floor(origin.y + button_y);
  box = {box_right - searching, box_top, box_right, box_top + ImGui::GetFrameHeight()};
  ImGui::SetCursorPos(ImVec2(tabs_x, top));
  draw_tabs(session, beside, ImVec2(tabs_width, height - 1), keys, theme, shown_serial, actions);
  ImGui::SetCursorPos(ImVec2(left + width - right_width, top + button_y));
  button(share, Menu::share, &menus.share);
  ImGui::SameLine(0, gap);
  actions.toggle_help = button(help, Menu::none, nullptr);
  ImGui::SetCursorPos(ImVec2(left, top + height));
  return actions;
}

}  // namespace kino
