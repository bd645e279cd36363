#include "app/ui/backend/remote_clipboard.hpp"

#include <utility>

#include <imgui.h>

namespace kino {

RemoteClipboard::RemoteClipboard(std::function<void(const std::string&)> copied)
    : copied_(std::move(copied)) {
#if IMGUI_VERSION_NUM < 19110
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = this;
  io.GetClipboardTextFn = &RemoteClipboard::read;
  io.SetClipboardTextFn = &RemoteClipboard::write;
#else
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_ClipboardUserData = this;
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) {
    return read(ImGui::GetPlatformIO().Platform_ClipboardUserData);
  };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    write(ImGui::GetPlatformIO().Platform_ClipboardUserData, text);
  };
#endif
}

const char* RemoteClipboard::read(void* clipboard) {
  return static_cast<RemoteClipboard*>(clipboard)->text_.c_str();
}

void RemoteClipboard::write(void* clipboard, const char* text) {
  RemoteClipboard& its = *static_cast<RemoteClipboard*>(clipboard);
  its.text_ = text;
  its.copied_(its.text_);
}

}  // namespace kino
