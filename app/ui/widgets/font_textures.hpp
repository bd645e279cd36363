// How an atlas of fonts is filled, shown and scaled, which Dear ImGui 1.92 does otherwise than those before:
// from then on the backend asks for each glyph when it is first drawn.
#pragma once

struct ImFont;
struct ImFontAtlas;
struct ImFontConfig;

namespace kino {

/// Has FreeType make the glyphs of an empty atlas; `many` of them are in a wide picture. Any thread.
void begin_atlas(ImFontAtlas& atlas, bool many);
/// With hinting that keeps the widths of letters.
void hint_lightly(ImFontConfig& config);
/// Makes what can be made before it is shown. False when a font cannot be read. Any thread.
bool finish_atlas(ImFontAtlas& atlas);

/// Gives ImGui another atlas in place of the one that it has, outside of a frame, with a current OpenGL
/// context. `started`: the backend has drawn before.
void show_atlas(ImFontAtlas& atlas, bool started);
/// Before ImGui::NewFrame(), of the atlas that is shown: Dear ImGui takes care of none that it has not made.
void begin_atlas_frame(ImFontAtlas& atlas);
/// Shows glyphs, which are made for the framebuffer's pixels, in ImGui's units. After the style is set.
void scale_fonts(float framebuffer_scale);

/// Whether the current font has the character itself.
bool font_has(unsigned code_point);

}  // namespace kino
