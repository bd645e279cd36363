#include "app/shell/tool_bar.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/ui/commands/view_menu.hpp"
#include "app/ui/text/load_estimate.hpp"
#include "app/ui/text/texts.hpp"
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

// Draws the cross of a tab as two lines, so that it is crisp at any scale.
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

/// Draws a button with `hint` and the key of its command as a tooltip; returns whether it was pressed.
bool command_button(const char* label, Text hint, CommandId command) {
  return flat_button(label, hint_with_key(hint, command).c_str());
}

/// The buttons at the right end of the bar.
struct RightButtons {
  const Document* document = nullptr;
  bool fits = false;  ///< whether there is a page to fit into the window
  std::uint64_t damage = 0;
  std::string damage_label;
  const char* theme_label = "";
};

RightButtons right_buttons(const Session& session, const Theme& theme) {
  RightButtons buttons;
  const Document* const document = buttons.document = session.active_document();
  const bool ready = document != nullptr && document->state() == Document::State::ready;
  buttons.fits = document != nullptr && document->page() != nullptr;
  buttons.damage = ready && document->of_one_file() ? document->damage().total() : 0;
  buttons.damage_label = "▲ " + grouped(buttons.damage) + "###damage";
  buttons.theme_label = tr(theme.dark ? Text::bar_light : Text::bar_dark);
  return buttons;
}

float width_of(const RightButtons& buttons, float gap) {
  float width = flat_button_width(buttons.theme_label) + flat_button_width(tr(Text::bar_view)) +
                flat_button_width(tr(Text::bar_help)) + 3 * gap;
  if (buttons.fits) width += flat_button_width(tr(Text::bar_fit)) + gap;
  if (buttons.damage > 0) width += flat_button_width(buttons.damage_label.c_str()) + gap;
  return width;
}

struct ViewButton {
  bool pressed = false;
  float right = 0;
};

ViewButton draw_right_buttons(const RightButtons& buttons, float gap, const Theme& theme,
                              ToolBarActions& actions) {
  if (buttons.damage > 0) {
    const bool drops = buttons.document->damage().drops_events();
    ImGui::PushStyleColor(ImGuiCol_Text, drops ? theme.warning : theme.text_dim);
    actions.show_damage =
        command_button(buttons.damage_label.c_str(), Text::bar_damage_hint, CommandId::show_damage);
    ImGui::PopStyleColor();
    ImGui::SameLine(0, gap);
  }
  if (buttons.fits) {
    actions.fit_all = command_button(tr(Text::bar_fit), Text::bar_fit_hint, CommandId::fit_all);
    ImGui::SameLine(0, gap);
  }
  const bool pressed = flat_button(tr(Text::bar_view), tr(Text::bar_view_hint));
  const float right = ImGui::GetItemRectMax().x;
  ImGui::SameLine(0, gap);
  actions.toggle_theme = command_button(
      buttons.theme_label, theme.dark ? Text::bar_light_hint : Text::bar_dark_hint, CommandId::toggle_theme);
  ImGui::SameLine(0, gap);
  actions.toggle_help = command_button(tr(Text::bar_help), Text::command_toggle_help, CommandId::toggle_help);
  return {pressed, right};
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
  const ImVec2 tab_size(std::clamp(size.x / count, 7 * em, 18 * em), size.y);
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

ToolBarActions ToolBar::draw(const Session& session, std::uint64_t beside, const RecentFiles& recent,
                             Commands& commands, const Theme& theme, float scale) {
  ToolBarActions actions;
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
  const RightButtons buttons = right_buttons(session, theme);
  const float right_width = width_of(buttons, gap);

  ImGui::SetCursorPos(ImVec2(left + gap, top + button_y));
  actions.open = command_button(tr(Text::open), Text::command_open_files, CommandId::open_files);
  ImGui::SameLine(0, gap);
  actions.show_recent = command_button(tr(Text::bar_recent), Text::bar_recent_hint, CommandId::recent_files);
  const ImVec2 menu_corner(ImGui::GetItemRectMin().x, origin.y + height);
  ImGui::SameLine(0, gap);

  const float tabs_x = ImGui::GetCursorPosX();
  const float tabs_width = std::max(ImGui::GetFontSize(), left + width - right_width - gap - tabs_x);
  ImGui::SetCursorPos(ImVec2(tabs_x, top));
  draw_tabs(session, beside, ImVec2(tabs_width, height - 1), commands.keymap(), theme, shown_serial, actions);
  ImGui::SetCursorPos(ImVec2(left + width - right_width, top + button_y));
  const ViewButton view = draw_right_buttons(buttons, gap, theme, actions);
  ImGui::SetCursorPos(ImVec2(left, top + height));
  if (std::exchange(opens_recent_menu, false)) ImGui::OpenPopup(kRecentMenu);
  ImGui::SetNextWindowPos(menu_corner);
  actions.recent = draw_recent_menu(recent, theme);
  if (view.pressed) ImGui::OpenPopup(kViewMenu);
  ImGui::SetNextWindowPos(ImVec2(view.right, origin.y + height), ImGuiCond_Always, ImVec2(1, 0));
  draw_view_menu(commands);
  return actions;
}

}  // namespace kino
