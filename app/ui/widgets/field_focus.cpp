#include "app/ui/widgets/field_focus.hpp"

#include <imgui.h>

namespace kino {
namespace {

constexpr int kMostAwaitedFrames = 4;
// In Dear ImGui 1.89 and later, a field has keyboard focus from the next frame on, but receives Escape only
// from the second frame on.
constexpr int kLeastAwaitedFrames = 2;

// The last frame in which a field was given keyboard focus.
int focused_in_frame = -kMostAwaitedFrames;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

void focus_next_field() {
  focused_in_frame = ImGui::GetFrameCount();
  // Dear ImGui 1.90 cannot focus an item unless its window has the focus.
  if (!ImGui::IsWindowFocused()) ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
}

bool field_awaits_keys() {
  const int frames = ImGui::GetFrameCount() - focused_in_frame;
  if (frames < 0 || frames >= kMostAwaitedFrames) return false;
  return frames < kLeastAwaitedFrames || !ImGui::IsAnyItemActive();
}

}  // namespace kino
