#include "app/ui/drawer/drawer.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"

namespace kino {

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
}

DrawerPage* Drawer::shown() const {
  const auto page = std::ranges::find_if(pages_, [&](const auto& one) { return choice_.shows(one->id()); });
  return page != pages_.end() ? page->get() : nullptr;
}

void Drawer::draw(const Box& box, const DrawContext& look) {
  if (!choice_.open || box.height() < 1) return;
  const float bar = std::round(28 * look.scale);
  draw_bar({box.left, box.top, box.right, box.top + bar}, look);
  ImGui::SetCursorScreenPos({box.left, box.top + bar});
  if (DrawerPage* const page = shown()) page->draw({box.width(), std::max(1.0F, box.height() - bar)}, look);
  const float y = box.top + 0.5F;
  ImGui::GetWindowDrawList()->AddLine({box.left, y}, {box.right, y}, look.theme.border);
}

void Drawer::draw_bar(const Box& bar, const DrawContext& look) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({bar.left, bar.top}, {bar.right, bar.bottom}, look.theme.group_header);
  list.AddLine({bar.left, bar.bottom - 0.5F}, {bar.right, bar.bottom - 0.5F}, look.theme.border);
  std::string_view clicked;  // shown from the next frame on
  float left = bar.left;
  tab_places_.clear();
  for (const auto& page : pages_) {
    if (page->offered() && draw_tab(*page, left, bar, look)) clicked = page->id();
  }
  if (!clicked.empty()) choice_.page = clicked;
}

bool Drawer::draw_tab(const DrawerPage& page, float& left, const Box& bar, const DrawContext& look) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& theme = look.theme;
  const std::string note = page.note();
  const float padding = std::round(12 * look.scale);
  const float gap = std::round(6 * look.scale);
  const float title_width = std::ceil(text_width(page.title()));
  const float note_width = note.empty() ? 0 : gap + std::ceil(text_width(note));
  const float right = std::min(bar.right, left + 2 * padding + title_width + note_width);
  if (right - left < 2 * padding) {
    left = bar.right;  // the remaining tabs do not fit either
    return false;
  }
  ImGui::SetCursorScreenPos({left, bar.top});
  ImGui::PushID(page.id().data(), page.id().data() + page.id().size());
  const bool clicked = ImGui::InvisibleButton("tab", {right - left, bar.height()});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const bool current = page.id() == choice_.page;
  if (current) {
    list.AddRectFilled({left, bar.top + 1}, {right, bar.bottom}, theme.panel);
    list.AddRectFilled({left, bar.bottom - std::round(2 * look.scale)}, {right, bar.bottom}, theme.accent);
  }
  const float text_y = std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2);
  const float room = right - left - 2 * padding;
  const float used = draw_elided(list, {left + padding, text_y}, room,
                                 current || hovered ? theme.text : theme.text_dim, page.title());
  draw_elided(list, {left + padding + used + gap, text_y}, room - used - gap, theme.text_dim, note);
  tab_places_.emplace_back(page.id(), ImVec2{(left + right) / 2, (bar.top + bar.bottom) / 2});
  left = right;
  return clicked;
}

bool Drawer::wants_frames() const {
  return std::ranges::any_of(pages_, [](const auto& page) { return page->wants_frames(); });
}

bool Drawer::complete() const {
  return std::ranges::all_of(pages_, [](const auto& page) { return page->complete(); });
}

void Drawer::write_test_state(nlohmann::ordered_json& panel) const {
  for (const auto& page : pages_) page->write_test_state(panel);
  panel["drawer_tabs"] = places_json(tab_places_);
}

}  // namespace kino
