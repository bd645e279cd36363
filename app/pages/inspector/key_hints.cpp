#include "app/pages/inspector/key_hints.hpp"

#include <array>
#include <cmath>
#include <string>

#include "app/ui/commands/commands.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kPaddingPx = 14;

struct KeyPair {
  CommandId first{};
  CommandId second{};
  Text effect{};
};

constexpr std::array kPairs = {
    KeyPair{CommandId::zoom_in, CommandId::zoom_out, Text::inspector_zoom},
    KeyPair{CommandId::pan_left, CommandId::pan_right, Text::inspector_move},
    KeyPair{CommandId::next_step, CommandId::previous_step, Text::inspector_steps}};

// Draws a key with a frame around it.
void draw_key(const std::string& key, const DrawContext& look) {
  const float padding = std::round(5 * look.scale);
  const float width = std::max(text_width(key) + 2 * padding, ImGui::GetTextLineHeight());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end{at.x + std::ceil(width), at.y + ImGui::GetTextLineHeight()};
  ImGui::Dummy({end.x - at.x, end.y - at.y});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, end, look.theme.group_header, std::round(3 * look.scale));
  list.AddRect(at, end, look.theme.border, std::round(3 * look.scale));
  list.AddText({std::floor((at.x + end.x - text_width(key)) / 2), at.y}, look.theme.text, key.c_str());
}

const char* hint_of(bool drag_selects) {
  return tr(drag_selects ? Text::inspector_hint_drag : Text::inspector_hint);
}

// Width of a pair of keys with their effect.
float width_of(const KeyPair& pair, const DrawContext& look) {
  const float keys = std::max(text_width(key_text(pair.first)), ImGui::GetTextLineHeight()) +
                     std::max(text_width(key_text(pair.second)), ImGui::GetTextLineHeight());
  return keys + text_width(tr(pair.effect)) + std::round(20 * look.scale);
}

}  // namespace

float key_hints_height(float width, bool drag_selects, const DrawContext& look) {
  const float room = width - 2 * std::round(kPaddingPx * look.scale);
  float lines = 1;
  float used = 0;
  for (const KeyPair& pair : kPairs) {
    if (key_text(pair.first).empty() || key_text(pair.second).empty()) continue;
    const float needed = width_of(pair, look) + std::round(12 * look.scale);
    if (used > 0 && used + needed > room) {
      ++lines;
      used = 0;
    }
    used += needed;
  }
  const float text = wrapped_height(hint_of(drag_selects), room);
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  return std::ceil(text + lines * (ImGui::GetTextLineHeight() + spacing) + std::round(24 * look.scale));
}

void draw_key_hints(ImVec2 size, bool drag_selects, const DrawContext& look) {
  const float padding = std::round(kPaddingPx * look.scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  begin_panel("keys", size, look.theme, {padding, std::round(10 * look.scale)},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::GetWindowDrawList()->AddLine({at.x + padding, at.y + 0.5F}, {at.x + size.x - padding, at.y + 0.5F},
                                      look.theme.border);
  wrapped_text(look.theme.text_dim, hint_of(drag_selects));
  const float room = ImGui::GetContentRegionAvail().x;
  float used = 0;
  for (const KeyPair& pair : kPairs) {
    const std::string first = key_text(pair.first);
    const std::string second = key_text(pair.second);
    if (first.empty() || second.empty()) continue;
    const float needed = width_of(pair, look) + std::round(12 * look.scale);
    if (used > 0 && used + needed > room) used = 0;
    if (used > 0) ImGui::SameLine(0, std::round(12 * look.scale));
    used += needed;
    draw_key(first, look);
    ImGui::SameLine(0, std::round(3 * look.scale));
    draw_key(second, look);
    ImGui::SameLine(0, std::round(5 * look.scale));
    colored_text(look.theme.text_dim, tr(pair.effect));
  }
  ImGui::EndChild();
}

}  // namespace kino
