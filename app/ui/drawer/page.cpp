#include "app/ui/drawer/page.hpp"

#include "app/ui/commands/held_keys.hpp"

namespace kino {

void Page::draw(const PageFrame& frame) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  constexpr float kSmallestPx = 64;
  if (size.x < kSmallestPx || size.y < kSmallestPx) return;
  Splitters* const shared = frame.splitters;
  float* const width = shared != nullptr ? header_width() : nullptr;
  float* const height = shared != nullptr ? drawer_height() : nullptr;
  if (width != nullptr) *width = shared->header_width;
  if (height != nullptr) *height = shared->drawer_height;
  ImGui::PushID(name_of(kind()));
  draw_content(frame, at, size);
  ImGui::PopID();
  if (width != nullptr) shared->header_width = *width;
  if (height != nullptr) shared->drawer_height = *height;
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
