// Fills, shows and scales an atlas of fonts for all supported versions of Dear ImGui. From 1.92 on, the
// backend requests each glyph when it is first drawn.
#pragma once

struct ImFont;
struct ImFontAtlas;
struct ImFontConfig;

namespace kino {

/// Selects FreeType for an empty atlas; `many` glyphs use a wide texture. Any thread.
void begin_atlas(ImFontAtlas& atlas, bool many);
/// Selects hinting that preserves the widths of letters.
void hint_lightly(ImFontConfig& config);
/// Makes everything that can be made before the atlas is shown. Returns false if a font cannot be read. Any
/// thread.
bool finish_atlas(ImFontAtlas& atlas);

/// Replaces ImGui's atlas outside of a frame, with a current OpenGL context. `started`: the backend has drawn
/// before.
void show_atlas(ImFontAtlas& atlas, bool started);
/// Call before ImGui::NewFrame() with the atlas that is shown: Dear ImGui only updates atlases that it owns.
void begin_atlas_frame(ImFontAtlas& atlas);
/// Converts from the framebuffer's pixels, for which glyphs are made, to ImGui's units. Call after the style
/// is set.
void scale_fonts(float framebuffer_scale);

/// Whether the current font itself has the character.
bool font_has(unsigned code_point);

}  // namespace kino
