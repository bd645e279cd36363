// Draws the frames of Dear ImGui with OpenGL 3.3.
#pragma once

#include "app/ui/backend/gui_backend.hpp"

namespace kino {

/// Draws into the bound framebuffer. Requires a current OpenGL context from start() to stop().
class GlBackend final : public GuiBackend {
 public:
  void start() override;
  void begin_frame() override;
  void renew_fonts() override;
  void update_texture(ImTextureData& texture) override;
  void draw(ImDrawData& frame, std::uint32_t background) override;
  void stop() override;

 private:
  bool started_ = false;  // whether begin_frame() was called
};

}  // namespace kino
