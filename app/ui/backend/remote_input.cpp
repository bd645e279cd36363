#include "app/ui/backend/remote_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "app/ui/backend/imgui_input.hpp"
#include "app/ui/widgets/field_focus.hpp"

namespace kino {
namespace {

using Kind = InputEvent::Kind;

constexpr float kNowhere = -1e6F;

bool is_modifier_key(int code) { return code >= GLFW_KEY_LEFT_SHIFT && code <= GLFW_KEY_RIGHT_SUPER; }

}  // namespace

RemoteInput::RemoteInput() { begin_remote_input(); }

void RemoteInput::move(double x, double y) {
  if (full() || !std::isfinite(x) || !std::isfinite(y)) return;
  queue_.push({.kind = Kind::move, .x = std::clamp(x, -1e5, 1e5), .y = std::clamp(y, -1e5, 1e5)});
}

void RemoteInput::wheel(double x, double y) {
  if (full() || !std::isfinite(x) || !std::isfinite(y)) return;
  queue_.push({.kind = Kind::wheel, .x = std::clamp(x, -100.0, 100.0), .y = std::clamp(y, -100.0, 100.0)});
}

void RemoteInput::button(int number, bool down) {
  if (number < 0 || number >= kButtons || (down && full())) return;
  if (!down && !buttons_[static_cast<std::size_t>(number)]) return;
  buttons_[static_cast<std::size_t>(number)] = down;
  queue_.push({.kind = Kind::button, .code = number, .down = down});
}

void RemoteInput::key(int code, bool down) {
  if (code <= 0 || code >= kKeys || keys_[static_cast<std::size_t>(code)] == down || (down && full())) return;
  keys_[static_cast<std::size_t>(code)] = down;
  queue_.push({.kind = Kind::key, .code = code, .down = down, .modifier = is_modifier_key(code)});
}

void RemoteInput::text(std::string_view utf8) {
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  while (at < end && !full()) {
    unsigned code_point = 0;
    at += std::max(ImTextCharFromUtf8(&code_point, at, end), 1);
    if (code_point < ' ' || code_point == 0x7f || code_point == IM_UNICODE_CODEPOINT_INVALID) continue;
    queue_.push({.kind = Kind::character, .code = static_cast<int>(code_point)});
  }
}

void RemoteInput::focus(bool gained) {
  if (!gained) {
    for (int i = 0; i < kKeys; ++i) key(i, false);
    for (int i = 0; i < kButtons; ++i) {
      if (buttons_[static_cast<std::size_t>(i)]) button(i, false);
    }
    move(double{kNowhere}, double{kNowhere});
  }
  if (!full()) queue_.push({.kind = Kind::focus, .down = gained});
}

bool RemoteInput::begin_frame() {
  const std::vector<InputEvent> events = queue_.take_frame(field_awaits_keys());
  for (const InputEvent& event : events) feed(event);
  return !events.empty();
}

void RemoteInput::feed(const InputEvent& event) {
  switch (event.kind) {
    case Kind::key:
      send_key(nullptr, event.code, 0, event.down);
      break;
    case Kind::character:
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(event.code));
      break;
    case Kind::button:
      send_button(nullptr, event.code, event.down);
      break;
    case Kind::move:
      send_position(static_cast<float>(event.x), static_cast<float>(event.y));
      break;
    case Kind::wheel:
      send_wheel(static_cast<float>(event.x), static_cast<float>(event.y));
      break;
    case Kind::focus:
      ImGui::GetIO().AddFocusEvent(event.down);
      break;
    case Kind::enter:
      break;
  }
}

}  // namespace kino
