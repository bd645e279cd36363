#include "app/drawer/bar_line.hpp"

#include <algorithm>
#include <cmath>

#include "app/widgets/text_drawing.hpp"
#include "app/widgets/widgets.hpp"

namespace kino {

BarLine::BarLine(ImDrawList& list, const Box& bar, const Theme& theme, float scale)
    : list_(list),
      bar_(bar),
      theme_(theme),
      scale_(scale),
      x_(bar.left + px(14)),
      y_(std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2)) {}

float BarLine::px(float at_scale_1) const { return std::round(at_scale_1 * scale_); }

void BarLine::text(std::uint32_t color, const std::string& words, const std::string& hint) {
  const float from = x_;
  x_ += draw_elided(list_, {x_, y_}, room(), color, words);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = mouse.x >= from && mouse.x < x_ && mouse.y >= bar_.top && mouse.y < bar_.bottom &&
                    ImGui::IsWindowHovered();
  if (over && !hint.empty()) ImGui::SetTooltip("%s", hint.c_str());
  x_ += px(12);
  const float line = std::floor(x_) + 0.5F;
  list_.AddLine({line, bar_.top + px(8)}, {line, bar_.bottom - px(8)}, theme_.border);
  x_ += px(12);
}

bool BarLine::button(const char* id, const std::string& label, const std::string& hint) {
  const float width = flat_button_width(label.c_str());
  if (room() < width) return false;
  ImGui::SetCursorScreenPos({x_, std::floor(bar_.top + (bar_.height() - ImGui::GetFrameHeight()) / 2)});
  ImGui::PushID(id);
  const bool pressed = flat_button(label.c_str(), hint.empty() ? nullptr : hint.c_str());
  ImGui::PopID();
  x_ += width + px(4);
  return pressed;
}

ImVec2 BarLine::take(float width, float height) {
  if (room() < width) return {-1, -1};
  const ImVec2 at{x_, std::floor((bar_.top + bar_.bottom - height) / 2)};
  x_ += width + px(12);
  return at;
}

float BarLine::room() const { return std::max(0.0F, bar_.right - px(12) - x_); }

}  // namespace kino
