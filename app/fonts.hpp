// The fonts of the interface: found on the system, rasterised by FreeType at the scale of the screen.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/glyph_set.hpp"

struct ImFont;

namespace kino {

/// The interface's font, its line 16 px high at scale 1. Also ImGui's default.
ImFont* ui_font();
/// Equal widths, for arguments and file text. Falls back to ui_font().
ImFont* mono_font();
/// Larger, basic Latin only, for headings.
ImFont* heading_font();

/// A font file and the face in it, as fontconfig knows them.
struct FontFile {
  std::filesystem::path path;
  int face = 0;
};

/// Owns what the font atlas of the current ImGui context was made from. UI thread only.
class Fonts {
 public:
  /// Asks for characters beyond Latin, Greek, Cyrillic and common symbols; they are there from the next frame
  /// on, if any installed font has them.
  void want(const GlyphSet& glyphs);
  /// Likewise for headings.
  void want_in_headings(const GlyphSet& glyphs);
  /// For characters that several scripts share: a language as fontconfig knows it, "ja" or "zh-cn".
  void prefer(const char* language);
  /// Builds the atlas when the scale changed or characters were asked for. Call outside a frame; true when it
  /// was rebuilt, and its texture must be uploaded again. 20-60 ms with the usual fonts.
  bool update(float scale);

 private:
  void build(float scale);
  /// Characters as large as those of the font they stand beside.
  void add_missing_scripts(const std::optional<FontFile>& beside, float size_px, const GlyphSet& glyphs);

  GlyphSet wanted_;
  GlyphSet wanted_in_headings_;
  std::string language_;
  std::deque<std::vector<std::uint16_t>> extra_ranges_;  // the atlas keeps pointers to them
  bool stale_ = true;
  float scale_ = 0;
};

/// The regular style of the first of `families` that is installed.
std::optional<FontFile> find_font(std::initializer_list<const char*> families);

/// Whether one installed font has all characters of UTF-8 text, beyond those that are always loaded. Some ms.
bool installed_font_has(std::string_view text);

}  // namespace kino
