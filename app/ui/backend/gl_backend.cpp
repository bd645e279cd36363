#include "app/ui/backend/gl_backend.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

namespace kino {
namespace {

constexpr const char* kGlslVersion = "#version 330 core";

}  // namespace

void GlBackend::start() { ImGui_ImplOpenGL3_Init(kGlslVersion); }

void GlBackend::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  started_ = true;
}

#if IMGUI_VERSION_NUM < 19200

void GlBackend::renew_fonts() {
  // Before the first frame, do nothing: the backend creates the first texture with its other objects.
  if (!started_) return;
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

void GlBackend::update_texture(ImTextureData& /*texture*/) {}

#else

void GlBackend::renew_fonts() {}
void GlBackend::update_texture(ImTextureData& texture) { ImGui_ImplOpenGL3_UpdateTexture(&texture); }

#endif

void GlBackend::draw(ImDrawData& frame, std::uint32_t background) {
  glViewport(0, 0, static_cast<int>(frame.DisplaySize.x * frame.FramebufferScale.x),
             static_cast<int>(frame.DisplaySize.y * frame.FramebufferScale.y));
  glDisable(GL_SCISSOR_TEST);
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(background);
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&frame);
}

void GlBackend::stop() { ImGui_ImplOpenGL3_Shutdown(); }

}  // namespace kino
