// The glyphs of the interface's fonts, found on the system and rasterized by FreeType.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/text/glyph_set.hpp"

struct ImFontAtlas;

namespace kino {

/// Characters to load beyond Latin, Greek, Cyrillic and common symbols.
struct WantedGlyphs {
  GlyphSet text;
  GlyphSet headings;
  std::string language;  ///< language whose fonts are preferred; see Fonts::prefer()
};

/// Fills an empty atlas with the fonts for text, monospaced text and headings, and makes its texture data.
/// Any thread: the only shared state it changes is ImGui's count of allocations, which is never read. Takes
/// 20-60 ms with the usual fonts, several hundred for thousands of ideographs.
void build_font_atlas(ImFontAtlas& atlas, const WantedGlyphs& wanted, float scale);

/// Whether a single installed font has all characters of UTF-8 text that a GlyphSet can contain. Takes a few
/// ms.
bool installed_font_has(std::string_view text);

}  // namespace kino
