// Fills, shows and scales a font atlas in all supported versions of Dear ImGui. From 1.92 on, each glyph is
// made when it is first drawn.
#pragma once

#include <functional>

struct ImFont;
struct ImFontAtlas;
struct ImFontConfig;
struct ImTextureData;

namespace kino {

/// Selects FreeType for an empty atlas; `many` glyphs use a wide texture. Any thread.
void begin_atlas(ImFontAtlas& atlas, bool many);
/// Selects hinting that preserves the widths of letters.
void hint_lightly(ImFontConfig& config);
/// Completes the atlas as far as possible before it is shown. Returns false if a font cannot be read. Any
/// thread.
bool finish_atlas(ImFontAtlas& atlas);

/// Replaces ImGui's atlas outside of a frame. From 1.92 on, calls `update_texture` for the textures of the
/// previous atlas, which the backend must delete.
void show_atlas(ImFontAtlas& atlas, const std::function<void(ImTextureData&)>& update_texture);
/// Updates the atlas that is shown. Call before ImGui::NewFrame(), since Dear ImGui only updates atlases that
/// it owns.
void begin_atlas_frame(ImFontAtlas& atlas);
/// Scales fonts from the framebuffer's pixels, for which glyphs are made, to ImGui's units. Call after the
/// style is set.
void scale_fonts(float framebuffer_scale);

/// Whether the current font has the character, without fallback.
bool font_has(unsigned code_point);

}  // namespace kino
