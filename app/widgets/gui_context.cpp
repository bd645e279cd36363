#include "app/widgets/gui_context.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include "app/widgets/font_textures.hpp"

namespace kino {
namespace {

constexpr const char* kGlslVersion = "#version 330 core";

/// Takes `bytes` bytes into a hash, eight at a time (multiplicative, as in Knuth's The Art of Computer
/// Programming 6.4).
std::uint64_t mixed(std::uint64_t hash, const void* data, std::size_t bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::uint64_t word = 0; bytes > 0; at += sizeof word) {
    word = 0;
    const std::size_t taken = bytes < sizeof word ? bytes : sizeof word;
    std::memcpy(&word, at, taken);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
    bytes -= taken;
  }
  return hash;
}

}  // namespace

GuiContext::GuiContext(std::function<void()> wake)
    : fonts_(std::move(wake)), context_(ImGui::CreateContext(&fonts_.atlas())) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  ImGui_ImplOpenGL3_Init(kGlslVersion);
}

GuiContext::~GuiContext() {
  fonts_.stop();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void GuiContext::prepare_frame(const Theme& theme, DisplayScale scale) {
  // Glyphs are made for the framebuffer's pixels and shown in ImGui's units.
  if (fonts_.update(scale.ui * scale.framebuffer)) show_atlas(fonts_.atlas(), scale_ != kNoScale);
  if (scale != scale_ || theme.dark != dark_) apply_theme(theme, scale.ui);
  scale_fonts(scale.framebuffer);
  scale_ = scale;
  dark_ = theme.dark;
  ImGui_ImplOpenGL3_NewFrame();
}

void GuiContext::render(const Theme& theme) {
  ImDrawData& data = *ImGui::GetDrawData();
  glViewport(0, 0, static_cast<int>(data.DisplaySize.x * data.FramebufferScale.x),
             static_cast<int>(data.DisplaySize.y * data.FramebufferScale.y));
  glDisable(GL_SCISSOR_TEST);
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(theme.window);
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

std::uint64_t GuiContext::picture() const {
  const ImDrawData& data = *ImGui::GetDrawData();
  std::uint64_t hash = 0;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    hash = mixed(hash, list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.size_in_bytes()));
    for (const ImDrawCmd& command : list.CmdBuffer) {
      hash = mixed(hash, &command.ClipRect, sizeof command.ClipRect);
      hash = mixed(hash, &command.ElemCount, sizeof command.ElemCount);
    }
  }
  return hash;
}

}  // namespace kino
