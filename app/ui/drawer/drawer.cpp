#include "app/ui/drawer/drawer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/icon_button.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"

namespace kino {
namespace {

// At scale 1.
constexpr float kTabPaddingPx = 12;
constexpr float kTabGapPx = 6;

float tab_width(const DrawerTab& tab, float scale) {
  const float note = tab.note.empty() ? 0 : std::round(kTabGapPx * scale) + std::ceil(text_width(tab.note));
  return 2 * std::round(kTabPaddingPx * scale) + std::ceil(text_width(tab.title)) + note;
}

}  // namespace

std::optional<float> dragged_drawer_height(const Box& drawer, float scale) {
  const float half = std::round(kSplitterPx * scale) / 2;
  place_button("splitter", {drawer.left, drawer.top - half, drawer.right, drawer.top + half});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (!ImGui::IsItemActive()) return std::nullopt;
  return std::max(0.0F, drawer.bottom - ImGui::GetIO().MousePos.y) / scale;
}

void Drawer::handle_keys() {
  for (const auto& page : pages_) {
    const bool shown = choice_.shows(page->id());
    if (page->command() && command_pressed(*page->command())) choice_.toggle(page->id());
    page->handle_keys(shown);
  }
}

void Drawer::update() {
  for (const auto& page : pages_) page->update(choice_.shows(page->id()));
  const DrawerPage* const page = shown();
  const std::string_view tab = page != nullptr ? page->open_tab() : choice_.tab;
  tab_changed_ = std::exchange(choice_.tab, tab) != tab;
}

DrawerPage* Drawer::shown() const {
  const auto page = std::ranges::find_if(pages_, [&](const auto& one) { return choice_.shows(one->id()); });
  return page != pages_.end() ? page->get() : nullptr;
}

bool Drawer::shows_bar() const {
  const DrawerPage* const page = shown();
  return page == nullptr || !choice_.fills() || page->has_bar();
}

void Drawer::draw(const Box& whole, const DrawContext& look, const std::vector<PageFact>& facts) {
  if (whole.height() < 1) return;
  Box box = whole;
  const float above = std::round(kFactsPx * look.scale);
  if (choice_.fills() && !facts.empty() && box.height() > 2 * above) {
    draw_facts_line(facts, {box.left, box.top, box.right, box.top + above}, look);
    box.top += above;
  }
  const float bar = shows_bar() ? std::round(kDrawerBarPx * look.scale) : 0;
  tab_places_.clear();
  tab_notes_.clear();
  if (bar > 0) draw_bar({box.left, box.top, box.right, box.top + bar}, look);
  ImGui::SetCursorScreenPos({box.left, box.top + bar});
  if (DrawerPage* const page = shown()) page->draw({box.width(), std::max(1.0F, box.height() - bar)}, look);
  const float y = box.top + 0.5F;
  ImGui::GetWindowDrawList()->AddLine({box.left, y}, {box.right, y}, look.theme.border);
}

void Drawer::draw_bar(const Box& bar, const DrawContext& look) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({bar.left, bar.top}, {bar.right, bar.bottom}, look.theme.group_header);
  list.AddLine({bar.left, bar.bottom - 0.5F}, {bar.right, bar.bottom - 0.5F}, look.theme.border);
  DrawerPage* clicked = nullptr;  // shown from the next frame on
  std::string_view clicked_tab;
  const Box tabs{bar.left, bar.top, draw_buttons(bar, look), bar.bottom};
  float left = bar.left;
  for (const auto& [page, tab] : fitting_tabs(tabs.width(), look.scale)) {
    if (!draw_tab(tab, left, tabs, look)) continue;
    clicked = page;
    clicked_tab = tab.id;
  }
  if (clicked == nullptr) return;
  clicked->open_tab(clicked_tab);
  choice_.show(clicked->id());
  choice_.tab = clicked->open_tab();
}

std::vector<std::pair<DrawerPage*, DrawerTab>> Drawer::fitting_tabs(float room, float scale) const {
  std::vector<std::pair<DrawerPage*, DrawerTab>> tabs;
  for (const auto& page : pages_) {
    if (!has_tabs(*page)) continue;
    for (DrawerTab& tab : page->tabs(choice_.shows(page->id())))
      tabs.emplace_back(page.get(), std::move(tab));
  }
  const auto width = [&] {
    float sum = 0;
    for (const auto& [page, tab] : tabs) sum += tab_width(tab, scale);
    return sum;
  };
  if (width() <= room) return tabs;
  for (auto& [page, tab] : tabs) {
    if (!tab.current) tab.note.clear();
  }
  while (tabs.size() > 1 && width() > room) {
    const auto last =
        std::ranges::find_if(tabs.rbegin(), tabs.rend(), [](const auto& tab) { return !tab.second.current; });
    tabs.erase(std::next(last).base());
  }
  return tabs;
}

float Drawer::draw_buttons(const Box& bar, const DrawContext& look) {
  const float width = bar.height();
  const float margin = std::round(6 * look.scale);
  if (bar.width() < 8 * width) return bar.right;
  if (!choice_.open) {
    const std::string hint = hint_with_key(Text::drawer_closed_hint, CommandId::toggle_drawer);
    const float left = bar.right - std::ceil(text_width(hint)) - 2 * margin;
    if (left < bar.left + bar.width() * 0.7F) return bar.right;
    const float y = std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2);
    ImGui::GetWindowDrawList()->AddText({left, y}, look.theme.text_dim, hint.c_str());
    return left - margin;
  }
  const Box close{bar.right - width - margin, bar.top, bar.right - margin, bar.bottom};
  const Box fill{close.left - width, bar.top, close.left, bar.bottom};
  if (draw_icon_button("fill", fill, choice_.full ? ButtonIcon::dock : ButtonIcon::fill,
                       tr(choice_.full ? Text::drawer_dock_hint : Text::drawer_fill_hint), look)) {
    if (choice_.full) {
      choice_.full = false;
    } else {
      choice_.fill(choice_.page);
    }
  }
  if (draw_icon_button("close", close, ButtonIcon::cross,
                       hint_with_key(Text::drawer_close_hint, CommandId::toggle_drawer), look))
    choice_.close();
  return fill.left - margin;
}

std::vector<PageView> Drawer::views(const char* picture) const {
  std::vector<PageView> views{{{}, picture, std::nullopt, !choice_.fills()}};
  for (const auto& page : pages_) {
    if (page->offered() && page->id() != drawer_page::kSelection) {
      views.push_back(
          {page->id(), page->title(), page->command(), choice_.fills() && choice_.shows(page->id())});
    }
  }
  return views;
}

void Drawer::show_view(std::string_view id) {
  if (id.empty()) return choice_.leave_full();
  choice_.fill(id);
}

bool Drawer::draw_tab(const DrawerTab& tab, float& left, const Box& bar, const DrawContext& look) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& theme = look.theme;
  const float padding = std::round(kTabPaddingPx * look.scale);
  const float gap = std::round(kTabGapPx * look.scale);
  const float right = std::min(bar.right, left + tab_width(tab, look.scale));
  if (right - left < 2 * padding) return false;
  ImGui::SetCursorScreenPos({left, bar.top});
  ImGui::PushID(tab.id.data(), tab.id.data() + tab.id.size());
  const bool clicked = ImGui::InvisibleButton("tab", {right - left, bar.height()});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (tab.current) {
    list.AddRectFilled({left, bar.top + 1}, {right, bar.bottom}, theme.panel);
    list.AddRectFilled({left, bar.bottom - std::round(2 * look.scale)}, {right, bar.bottom}, theme.accent);
  }
  const float text_y = std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2);
  const float room = right - left - 2 * padding;
  const float used = draw_elided(list, {left + padding, text_y}, room,
                                 tab.current || hovered ? theme.text : theme.text_dim, tab.title);
  draw_elided(list, {left + padding + used + gap, text_y}, room - used - gap, theme.text_dim, tab.note);
  tab_notes_.emplace_back(tab.id, tab.note);
  tab_places_.emplace_back(tab.id, ImVec2{(left + right) / 2, (bar.top + bar.bottom) / 2});
  left = right;
  return clicked;
}

bool Drawer::wants_frames() const {
  return tab_changed_ || std::ranges::any_of(pages_, [](const auto& page) { return page->wants_frames(); });
}

bool Drawer::complete() const {
  return std::ranges::all_of(pages_, [](const auto& page) { return page->complete(); });
}

void Drawer::write_test_state(nlohmann::ordered_json& panel) const {
  for (const auto& page : pages_) page->write_test_state(panel);
  panel["drawer_tabs"] = places_json(tab_places_);
  nlohmann::ordered_json notes = nlohmann::ordered_json::object();
  for (const auto& [tab, note] : tab_notes_) notes[tab] = note;
  panel["drawer_notes"] = std::move(notes);
}

}  // namespace kino
