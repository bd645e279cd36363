#include "app/ui/widgets/gui_context.hpp"

#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include "app/ui/widgets/font_textures.hpp"
#include "app/ui/widgets/picture_key.hpp"

namespace kino {
namespace {

constexpr const char* kGlslVersion = "#version 330 core";

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
  // Glyphs are made in the framebuffer's pixels; scale_fonts() converts them to ImGui's units.
  if (fonts_.update(scale.ui * scale.framebuffer)) {
    show_atlas(fonts_.atlas(), scale_ != kNoScale);
    ++atlases_;
  }
  if (scale != scale_ || theme.dark != dark_) apply_theme(theme, scale.ui);
  scale_fonts(scale.framebuffer);
  scale_ = scale;
  dark_ = theme.dark;
  ImGui_ImplOpenGL3_NewFrame();
  begin_atlas_frame(fonts_.atlas());
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
  PictureKey key;
  key.add(picture_key(*ImGui::GetDrawData()), atlases_);
  return key.value();
}

}  // namespace kino
