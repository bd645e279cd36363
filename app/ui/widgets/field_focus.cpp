#include "app/ui/widgets/field_focus.hpp"

#include <imgui.h>

namespace kino {
namespace {

constexpr int kMostAwaitedFrames = 4;
// A field of Dear ImGui 1.89 and later has the keyboard in the frame after, and hears Escape in the second.
constexpr int kLeastAwaitedFrames = 2;

// Of the frame in which a field was given the keyboard last.
int focused_in_frame = -kMostAwaitedFrames;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

void focus_next_field() {
  focused_in_frame = ImGui::GetFrameCount();
  // Dear ImGui 1.90 finds no item to give the keyboard to where another window has the focus, or none.
  if (!ImGui::IsWindowFocused()) ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
}

bool field_awaits_keys() {
  const int frames = ImGui::GetFrameCount() - focused_in_frame;
  if (frames < 0 || frames >= kMostAwaitedFrames) return false;
  return frames < kLeastAwaitedFrames || !ImGui::IsAnyItemActive();
}

}  // namespace kino
