#include "app/ui/drawer/inspector_frame.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/ui/commands/commands.hpp"
#include "app/ui/drawer/icon_button.hpp"
#include "app/ui/drawer/state_json.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/panel_parts.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr float kTitlePx = 32;  // height of the line with the title, at scale 1

}  // namespace

void InspectorFrame::toggle(Splitters* sizes) {
  wanted_ = !wanted_;
  if (sizes != nullptr) sizes->inspector = wanted_;
}

void InspectorFrame::handle_keys(Splitters* sizes, bool keyboard) {
  if (sizes != nullptr) wanted_ = sizes->inspector;
  if (keyboard && command_pressed(CommandId::toggle_inspector)) toggle(sizes);
}

void InspectorFrame::handle_keys(Splitters* sizes, bool keyboard, DrawerChoice& drawer) {
  handle_keys(sizes, keyboard && !drawer.fills());
  if (!keyboard || !command_pressed(CommandId::toggle_drawer)) return;
  const bool filled = drawer.fills();
  drawer.toggle_open();
  if (!filled && wanted_ != drawer.open) toggle(sizes);
}

float InspectorFrame::width(float page_px, float scale) const {
  return wanted_ ? inspector_width(page_px, scale) : 0;
}

void InspectorFrame::draw(const Box& box, const Heading& heading, Splitters* sizes, const DrawContext& look,
                          const std::function<void(ImVec2)>& content) {
  const Theme& theme = look.theme;
  const float padding = std::round(14 * look.scale);
  const Box title{box.left, box.top, box.right, box.top + std::round(kTitlePx * look.scale)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom}, theme.panel);
  const Box close{title.right - title.height(), title.top, title.right, title.bottom};
  ImGui::PushID("inspector");
  const std::string hint = hint_with_key(Text::inspector_close_hint, CommandId::toggle_inspector);
  if (draw_icon_button("close", close, ButtonIcon::cross, hint, look)) toggle(sizes);
  close_ = item_center();
  const float y = std::floor(title.top + (title.height() - ImGui::GetFontSize()) / 2);
  const float left = title.left + padding;
  const float room = close.left - left;
  const float used = draw_elided(list, {left, y}, room, theme.text, heading.title);
  const float gap = std::round(10 * look.scale);
  if (!heading.note.empty())
    draw_elided(list, {left + used + gap, y}, room - used - gap, theme.text_dim, heading.note);
  // The line on the left belongs to the panel.
  const float line = std::max(1.0F, std::round(look.scale));
  ImGui::SetCursorScreenPos({box.left + line, title.bottom});
  content({box.width() - line, std::max(1.0F, box.bottom - title.bottom)});
  ImGui::PopID();
  list.AddLine({title.left, title.bottom - 0.5F}, {title.right, title.bottom - 0.5F}, theme.border);
  list.AddLine({box.left + 0.5F, box.top}, {box.left + 0.5F, box.bottom}, theme.border);
}

nlohmann::ordered_json InspectorFrame::test_state(const Box& box) const {
  return {{"left", box.left}, {"width", box.width()}, {"close", place_json(close_)}};
}

}  // namespace kino
