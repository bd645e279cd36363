#include "app/ui/drawer/page.hpp"

#include <cmath>

#include "app/ui/commands/held_keys.hpp"

namespace kino {

void Page::draw(const PageFrame& frame) {
  ImVec2 at = ImGui::GetCursorScreenPos();
  ImVec2 size = ImGui::GetContentRegionAvail();
  constexpr float kSmallestPx = 64;
  if (size.x < kSmallestPx || size.y < kSmallestPx) return;
  Splitters* const shared = frame.splitters;
  float* const width = shared != nullptr ? header_width() : nullptr;
  DrawerChoice* const drawer = shared != nullptr ? drawer_choice() : nullptr;
  if (width != nullptr) *width = shared->header_width;
  if (drawer != nullptr) drawer->heights.swap(shared->drawer_heights[name_of(kind())]);
  ImGui::PushID(name_of(kind()));
  const float above = has_facts_above() ? std::round(kFactsPx * frame.scale) : 0;
  if (above > 0 && size.y - above >= kSmallestPx) {
    draw_facts_line(facts(), {at.x, at.y, at.x + size.x, at.y + above},
                    {*frame.theme, frame.scale, frame.keyboard});
    at.y += above;
    size.y -= above;
    ImGui::SetCursorScreenPos(at);
  }
  draw_content(frame, at, size);
  ImGui::PopID();
  if (width != nullptr) shared->header_width = *width;
  if (drawer != nullptr) drawer->heights.swap(shared->drawer_heights[name_of(kind())]);
}

void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame, HeldMovement held) {
  const float mouse_x = ImGui::GetIO().MousePos.x;
  const bool beside = mouse_x < lanes.left || mouse_x >= lanes.right;
  navigation.step(frame.delta_seconds, held, beside ? lanes.width() / 2 : mouse_x - lanes.left);
}

void move_by_keys(Navigation& navigation, const Box& lanes, const PageFrame& frame) {
  move_by_keys(navigation, lanes, frame, held_keys(frame.keyboard));
}

}  // namespace kino
