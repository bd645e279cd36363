#include "app/gui_context.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

namespace kino {
namespace {

constexpr const char* kGlslVersion = "#version 330 core";

}  // namespace

GuiContext::GuiContext() : context_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  ImGui_ImplOpenGL3_Init(kGlslVersion);
}

GuiContext::~GuiContext() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void GuiContext::prepare_frame(const Theme& theme, DisplayScale scale) {
  // Glyphs are made for the framebuffer's pixels and shown in ImGui's units.
  // The backend of 1.86 makes its texture with all its other objects or not at all, and remembers the sizes
  // of buffers that it has destroyed, which leaves the window empty; so it starts anew.
  if (fonts_.update(scale.ui * scale.framebuffer)) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplOpenGL3_Init(kGlslVersion);
  }
  ImGui::GetIO().FontGlobalScale = 1 / scale.framebuffer;
  if (scale != scale_ || theme.dark != dark_) apply_theme(theme, scale.ui);
  scale_ = scale;
  dark_ = theme.dark;
  ImGui_ImplOpenGL3_NewFrame();
}

void GuiContext::render(const Theme& theme) {
  ImGui::Render();
  ImDrawData& data = *ImGui::GetDrawData();
  glViewport(0, 0, static_cast<int>(data.DisplaySize.x * data.FramebufferScale.x),
             static_cast<int>(data.DisplaySize.y * data.FramebufferScale.y));
  glDisable(GL_SCISSOR_TEST);
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(theme.window);
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

}  // namespace kino
