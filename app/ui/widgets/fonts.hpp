// The fonts of the interface, at the scale of the screen and with the characters that are to be shown.
#pragma once

#include <functional>
#include <memory>

#include "app/ui/widgets/font_atlas.hpp"

struct ImFont;
struct ImFontAtlas;

namespace kino {

/// The interface's font, its line 16 px high at scale 1. Also ImGui's default.
ImFont* ui_font();
/// Equal widths, for arguments and file text. Falls back to ui_font().
ImFont* mono_font();
/// Larger, basic Latin and arrows only, for headings.
ImFont* heading_font();

/// Owns the font atlas of an ImGui context. UI thread only; the glyphs are made on a thread of its own, 20-60
/// ms with the usual fonts, several hundred for thousands of ideographs.
class Fonts {
 public:
  /// `wake` is called from that thread when there are other glyphs; without it update() waits for them.
  explicit Fonts(std::function<void()> wake = {});
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;
  ~Fonts();

  /// Asks for characters beyond Latin, Greek, Cyrillic and common symbols; they are there some frames later,
  /// if any installed font has them.
  void want(const GlyphSet& glyphs);
  /// Wants them in the font of headings.
  void want_in_headings(const GlyphSet& glyphs);
  /// For characters that several scripts share: a language as fontconfig knows it, "ja" or "zh-cn".
  void prefer(const char* language);
  /// Has the atlas made anew when the scale changed or characters were asked for; call outside a frame. Waits
  /// only when there is none of that scale. True when atlas() is another one, which ImGui has to be given
  /// before the next update: the one before lives until then.
  bool update(float scale);
  ImFontAtlas& atlas() { return *atlas_; }
  /// Whether all that was asked for is in the atlas.
  bool complete() const { return !stale_ && !making_; }
  /// Waits for the glyphs under way: they need ImGui's context.
  void stop();

 private:
  struct Making;

  void start(float scale);
  bool take();

  std::function<void()> wake_;
  std::unique_ptr<ImFontAtlas> before_;  // the one that ImGui has until it is given atlas_
  std::unique_ptr<ImFontAtlas> atlas_;
  WantedGlyphs wanted_;
  bool stale_ = true;
  float scale_ = 0;  // of the atlas; 0 before the first
  std::unique_ptr<Making> making_;
};

}  // namespace kino
