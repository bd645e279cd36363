#include "app/ui/drawer/bar_line.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {

BarLine::BarLine(ImDrawList& list, const Box& bar, const Theme& theme, float scale)
    : list_(list),
      bar_(bar),
      theme_(theme),
      scale_(scale),
      x_(bar.left + px(14)),
      y_(std::floor(bar.top + (bar.height() - ImGui::GetFontSize()) / 2)) {}

float BarLine::px(float at_scale_1) const { return std::round(at_scale_1 * scale_); }

void BarLine::texts(std::span<const BarText> parts) {
  const float between = 2 * px(12);
  float needed = 0;
  for (const BarText& part : parts) needed += text_width(part.words) + between;
  std::size_t whole = parts.size();
  while (whole > 0 && needed - between > room()) {
    const BarText& part = parts[--whole];
    if (!part.brief.empty()) needed -= text_width(part.words) - text_width(part.brief);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const BarText& part = parts[i];
    const bool brief = i >= whole && !part.brief.empty();
    std::string hint = part.hint;
    if (brief) hint.insert(0, part.words + (hint.empty() ? "" : "\n"));
    text(part.color, brief ? part.brief : part.words, hint);
  }
}

void BarLine::text(std::uint32_t color, const std::string& words, const std::string& hint) {
  if (room() < px(24)) return;
  draw_divider();
  const float from = x_;
  x_ += draw_elided(list_, {x_, y_}, room(), color, words);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = mouse.x >= from && mouse.x < x_ && mouse.y >= bar_.top && mouse.y < bar_.bottom &&
                    ImGui::IsWindowHovered();
  if (over && !hint.empty()) ImGui::SetTooltip("%s", hint.c_str());
  x_ += 2 * px(12);
  divides_ = true;
}

void BarLine::draw_divider() {
  if (!std::exchange(divides_, false)) return;
  const float line = std::floor(x_ - px(12)) + 0.5F;
  list_.AddLine({line, bar_.top + px(8)}, {line, bar_.bottom - px(8)}, theme_.border);
}

bool BarLine::button(const char* id, const std::string& label, const std::string& hint) {
  const float width = flat_button_width(label.c_str());
  if (room() < width) return false;
  draw_divider();
  const bool pressed = button_at(x_, id, label, hint);
  x_ += width + px(4);
  return pressed;
}

bool BarLine::button_at_end(const char* id, const std::string& label, const std::string& hint) {
  const ImVec2 at = take_at_end(flat_button_width(label.c_str()));
  return at.x >= 0 && button_at(at.x, id, label, hint);
}

ImVec2 BarLine::take_at_end(float width) {
  if (room() < width) return {-1, -1};
  const float left = std::floor(bar_.right - px(12) - width);
  bar_.right = left + px(12) - px(4);
  return {left, std::floor(bar_.top + (bar_.height() - ImGui::GetFrameHeight()) / 2)};
}

bool BarLine::button_at(float x, const char* id, const std::string& label, const std::string& hint) const {
  ImGui::SetCursorScreenPos({x, std::floor(bar_.top + (bar_.height() - ImGui::GetFrameHeight()) / 2)});
  ImGui::PushID(id);
  const bool pressed = flat_button(label.c_str(), hint.empty() ? nullptr : hint.c_str());
  ImGui::PopID();
  return pressed;
}

ImVec2 BarLine::take(float width, float height) {
  if (room() < width) return {-1, -1};
  draw_divider();
  const ImVec2 at{x_, std::floor((bar_.top + bar_.bottom - height) / 2)};
  x_ += width + px(12);
  return at;
}

float BarLine::room() const { return std::max(0.0F, bar_.right - px(12) - x_); }

}  // namespace kino
