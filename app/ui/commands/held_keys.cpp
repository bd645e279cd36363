#include "app/ui/commands/held_keys.hpp"

#include <imgui.h>

#include "app/ui/commands/commands.hpp"

namespace kino {

bool accepts_view_keys(bool keyboard) { return keyboard && !ImGui::GetIO().WantTextInput; }

HeldMovement held_keys(bool keyboard) {
  HeldMovement movement;
  if (!accepts_view_keys(keyboard)) return movement;
  movement.zoom = (command_held(CommandId::zoom_in) ? 1 : 0) - (command_held(CommandId::zoom_out) ? 1 : 0);
  movement.pan = (command_held(CommandId::pan_right) ? 1 : 0) - (command_held(CommandId::pan_left) ? 1 : 0);
  movement.fast = ImGui::GetIO().KeyShift;
  return movement;
}

}  // namespace kino
