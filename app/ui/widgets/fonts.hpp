// The fonts of the interface at the screen's scale, with the characters that are needed.
#pragma once

#include <functional>
#include <memory>

#include "app/ui/widgets/font_atlas.hpp"

struct ImFont;
struct ImFontAtlas;

namespace kino {

/// The interface's font, with a line height of 16 px at scale 1. It is also ImGui's default font.
ImFont* ui_font();
/// Monospaced font for arguments and file text. Falls back to ui_font().
ImFont* mono_font();
/// A larger font for headings, with Latin-1, arrows and the characters of Fonts::want_in_headings().
ImFont* heading_font();

/// Owns the font atlas of an ImGui context. UI thread only; a separate thread makes the glyphs, which takes
/// 20-60 ms with the usual fonts and several hundred for thousands of ideographs.
class Fonts {
 public:
  /// `wake` is called from the separate thread when new glyphs are ready. If `wake` is empty, update() waits
  /// for the glyphs.
  explicit Fonts(std::function<void()> wake = {});
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;
  ~Fonts();

  /// Requests characters beyond Latin, Greek, Cyrillic and common symbols. They appear some frames later, if
  /// any installed font has them.
  void want(const GlyphSet& glyphs);
  /// Requests characters in the font of headings, like want().
  void want_in_headings(const GlyphSet& glyphs);
  /// Prefers fonts of a language for characters that several scripts share: "ja" or "zh-cn", as in
  /// fontconfig.
  void prefer(const char* language);
  /// Rebuilds the atlas if the scale changed or characters were requested. Call outside of a frame. Waits for
  /// the thread only if `wake` is empty or there is no atlas of this scale. Returns true if atlas() is a new
  /// atlas. Pass it to ImGui before the next update(), which frees the previous atlas.
  bool update(float scale);
  ImFontAtlas& atlas() { return *atlas_; }
  /// Whether the atlas was made for all that was requested.
  bool complete() const { return !stale_ && !making_; }
  /// Waits for the thread, which uses ImGui's context.
  void stop();

 private:
  struct Making;

  void start(float scale);
  bool take();

  std::function<void()> wake_;
  std::unique_ptr<ImFontAtlas> before_;  // previous atlas, which ImGui uses until it is given atlas_
  std::unique_ptr<ImFontAtlas> atlas_;
  WantedGlyphs wanted_;
  bool stale_ = true;
  float scale_ = 0;  // scale of the atlas; 0 before the first one
  std::unique_ptr<Making> making_;
};

}  // namespace kino
