#include "app/ui/widgets/font_textures.hpp"

#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

namespace kino {

#if IMGUI_VERSION_NUM < 19200

void begin_atlas(ImFontAtlas& atlas, bool many) {
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas.TexDesiredWidth = many ? 4096 : 0;
}

void hint_lightly(ImFontConfig& config) { config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting; }

bool finish_atlas(ImFontAtlas& atlas) {
  if (!atlas.Build()) return false;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);  // requested by the backend
  return true;
}

void show_atlas(ImFontAtlas& atlas, const std::function<void(ImTextureData&)>& /*update_texture*/) {
  ImGui::GetIO().Fonts = &atlas;
}

void begin_atlas_frame(ImFontAtlas& /*atlas*/) {}

void scale_fonts(float framebuffer_scale) { ImGui::GetIO().FontGlobalScale = 1 / framebuffer_scale; }

bool font_has(unsigned code_point) {
  return ImGui::GetFont()->FindGlyphNoFallback(static_cast<ImWchar>(code_point)) != nullptr;
}

#else

void begin_atlas(ImFontAtlas& atlas, bool /*many*/) { atlas.SetFontLoader(ImGuiFreeType::GetFontLoader()); }

void hint_lightly(ImFontConfig& config) {
  config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
  config.Flags |= ImFontFlags_NoLoadError;
}

bool finish_atlas(ImFontAtlas& atlas) { return !atlas.Fonts.empty(); }

void show_atlas(ImFontAtlas& atlas, const std::function<void(ImTextureData&)>& update_texture) {
  ImFontAtlas* const before = ImGui::GetIO().Fonts;
  for (ImTextureData* const texture : before->TexList) {
    if (texture->TexID == ImTextureID_Invalid) continue;
    texture->SetStatus(ImTextureStatus_WantDestroy);
    texture->UnusedFrames = 1;
    update_texture(*texture);
  }
  ImGui::UnregisterFontAtlas(before);
  ImGui::GetIO().Fonts = &atlas;
  ImGui::RegisterFontAtlas(&atlas);
}

void begin_atlas_frame(ImFontAtlas& atlas) {
  const int frame = ImGui::GetFrameCount() + 1;
  if (atlas.Builder != nullptr && atlas.Builder->FrameCount >= frame) return;
  const bool has_textures = (ImGui::GetIO().BackendFlags & ImGuiBackendFlags_RendererHasTextures) != 0;
  ImFontAtlasUpdateNewFrame(&atlas, frame, has_textures);
}

void scale_fonts(float framebuffer_scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style.FontSizeBase = ImGui::GetIO().Fonts->Fonts[0]->LegacySize;
  style.FontScaleMain = 1 / framebuffer_scale;
}

bool font_has(unsigned code_point) {
  return ImGui::GetFontBaked()->FindGlyphNoFallback(static_cast<ImWchar>(code_point)) != nullptr;
}

#endif

}  // namespace kino
