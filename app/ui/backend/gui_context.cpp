#include "app/ui/backend/gui_context.hpp"

#include <utility>

#include <imgui.h>

#include "app/ui/widgets/font_textures.hpp"
#include "app/ui/widgets/picture_key.hpp"

namespace kino {

GuiContext::GuiContext(std::unique_ptr<GuiBackend> backend, std::function<void()> wake)
    : backend_(std::move(backend)), fonts_(std::move(wake)), context_(ImGui::CreateContext(&fonts_.atlas())) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  backend_->start();
}

GuiContext::~GuiContext() {
  fonts_.stop();
  backend_->stop();
  ImGui::DestroyContext(context_);
}

void GuiContext::prepare_frame(const Theme& theme, DisplayScale scale) {
  // Glyphs are made in the framebuffer's pixels; scale_fonts() converts them to ImGui's units.
  if (fonts_.update(scale.ui * scale.framebuffer)) {
    show_atlas(fonts_.atlas(), [this](ImTextureData& texture) { backend_->update_texture(texture); });
    backend_->renew_fonts();
    ++atlases_;
  }
  if (scale != scale_ || theme.dark != dark_) apply_theme(theme, scale.ui);
  scale_fonts(scale.framebuffer);
  scale_ = scale;
  dark_ = theme.dark;
  backend_->begin_frame();
  begin_atlas_frame(fonts_.atlas());
}

void GuiContext::render(const Theme& theme) { backend_->draw(*ImGui::GetDrawData(), theme.window); }

std::uint64_t GuiContext::picture() const {
  PictureKey key;
  key.add(picture_key(*ImGui::GetDrawData()), atlases_);
  return key.value();
}

}  // namespace kino
