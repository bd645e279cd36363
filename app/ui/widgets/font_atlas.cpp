#include "app/ui/widgets/font_atlas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include <ft2build.h>
#include <imgui.h>

#include FT_FREETYPE_H

#include "app/system/font_files.hpp"
#include "app/ui/widgets/font_textures.hpp"

namespace kino {
namespace {

static_assert(sizeof(ImWchar) == sizeof(std::uint16_t), "ranges are handed over as 16-bit characters");

// Line heights of the fonts. In Inter, an em is 13 px at a line height of 16 px, as in desktop applications.
constexpr float kUiPx = 16;
constexpr float kMonoPx = 15;
constexpr float kHeadingPx = 26;
constexpr std::size_t kMostExtraFonts = 6;
// More characters would make the atlas larger than the maximum texture size of some drivers.
constexpr std::size_t kMostExtraGlyphs = 8000;

// Latin, Greek, Cyrillic, punctuation, currency, letter-like symbols, arrows, mathematics, technical, box
// drawing, geometric shapes, dingbats. Pairs of first and last code point, terminated by 0. The atlas stores
// the pointer.
constexpr std::array<ImWchar, 25> kUiRanges = {
    0x0020, 0x024F, 0x0370, 0x052F, 0x1E00, 0x1EFF, 0x2010, 0x205E, 0x2070, 0x209C, 0x20A0, 0x20BF, 0x2100,
    0x214F, 0x2190, 0x21FF, 0x2200, 0x22FF, 0x2300, 0x23FF, 0x2500, 0x25FF, 0x2600, 0x27BF, 0};
constexpr std::array<ImWchar, 7> kHeadingRanges = {0x0020, 0x007E, 0x00A0, 0x00FF, 0x2190, 0x2195, 0};

ImFont* add_font(ImFontAtlas& atlas, const std::optional<FontFile>& file, float size_px,
                 const ImWchar* ranges, bool merge) {
  ImFontConfig config;
  config.MergeMode = merge;
  config.OversampleH = 1;
  hint_lightly(config);
  if (file) {
    config.FontNo = file->face;
    ImFont* const font = atlas.AddFontFromFileTTF(file->path.c_str(), size_px, &config, ranges);
    if (font != nullptr) return font;
  }
  if (merge) return nullptr;
  config.SizePixels = size_px;
  return atlas.AddFontDefault(&config);
}

/// Returns the line height of a font in ems; 0 if the file cannot be read.
float line_ems(const FontFile& file) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return 0;
  FT_Face face = nullptr;
  float ems = 0;
  if (FT_New_Face(library, file.path.c_str(), file.face, &face) == 0) {
    if (face->units_per_EM > 0)
      ems = static_cast<float>(face->ascender - face->descender) / static_cast<float>(face->units_per_EM);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return ems;
}

// Converts ascending code points to pairs of first and last, terminated by 0.
std::vector<std::uint16_t> ranges_of(const std::vector<std::uint16_t>& code_points) {
  std::vector<std::uint16_t> ranges;
  for (const std::uint16_t code_point : code_points) {
    if (!ranges.empty() && ranges.back() + 1 == code_point) {
      ranges.back() = code_point;
    } else {
      ranges.push_back(code_point);
      ranges.push_back(code_point);
    }
  }
  ranges.push_back(0);
  return ranges;
}

bool always_loaded(std::uint32_t code_point) {
  for (std::size_t i = 0; i + 1 < kUiRanges.size(); i += 2) {
    if (code_point >= kUiRanges[i] && code_point <= kUiRanges[i + 1]) return true;
  }
  return false;
}

// Adds the characters of `glyphs` that are not always loaded, in fonts scaled to match the letters of the
// font `beside`.
void add_missing_scripts(ImFontAtlas& atlas, const std::optional<FontFile>& beside, float size_px,
                         const GlyphSet& glyphs, const std::string& language,
                         std::deque<std::vector<std::uint16_t>>& ranges) {
  std::vector<std::uint16_t> missing;
  for (const std::uint16_t code_point : glyphs.code_points()) {
    if (!always_loaded(code_point) && missing.size() < kMostExtraGlyphs) missing.push_back(code_point);
  }
  if (missing.empty()) return;
  const float ems_beside = beside ? line_ems(*beside) : 0;
  for (const CoveringFont& font : fonts_covering(missing, language, kMostExtraFonts)) {
    ranges.push_back(ranges_of(font.characters));
    // Scale the line height, since CJK fonts have higher lines for letters of the same size.
    const float ems = line_ems(font.file);
    const float ratio = ems > 0 && ems_beside > 0 ? std::clamp(ems / ems_beside, 0.8F, 1.5F) : 1;
    add_font(atlas, font.file, std::round(size_px * ratio), ranges.back().data(), true);
  }
}

}  // namespace

bool installed_font_has(std::string_view text) {
  GlyphSet glyphs;
  glyphs.add(text);
  return one_font_has(glyphs.code_points());
}

void build_font_atlas(ImFontAtlas& atlas, const WantedGlyphs& wanted, float scale) {
  begin_atlas(atlas, !wanted.text.empty());

  const auto symbols = find_font({"DejaVu Sans", "Noto Sans Symbols2", "Noto Sans Symbols", "FreeSans"});
  const auto ui = find_font({"Inter", "Noto Sans", "DejaVu Sans", "Liberation Sans"});
  const auto mono = find_font({"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "Liberation Mono"});
  const float ui_px = std::round(kUiPx * scale);
  const float mono_px = std::round(kMonoPx * scale);
  const float heading_px = std::round(kHeadingPx * scale);
  std::deque<std::vector<std::uint16_t>> ranges;  // the atlas refers to these until it is built
  const auto add_missing = [&](const std::optional<FontFile>& beside, float size_px, const GlyphSet& glyphs) {
    add_missing_scripts(atlas, beside, size_px, glyphs, wanted.language, ranges);
  };

  add_font(atlas, ui, ui_px, kUiRanges.data(), false);
  if (symbols) add_font(atlas, symbols, ui_px, kUiRanges.data(), true);
  add_missing(ui, ui_px, wanted.text);
  add_font(atlas, mono ? mono : ui, mono_px, kUiRanges.data(), false);
  add_missing(mono ? mono : ui, mono_px, wanted.text);
  add_font(atlas, ui, heading_px, kHeadingRanges.data(), false);
  add_missing(ui, heading_px, wanted.headings);
  if (finish_atlas(atlas)) return;
  // An unreadable font makes the whole build fail; ImGui's built-in font always works.
  atlas.Clear();
  add_font(atlas, std::nullopt, ui_px, nullptr, false);
  finish_atlas(atlas);
}

}  // namespace kino
