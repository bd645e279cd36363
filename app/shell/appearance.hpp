// Appearance shared by all documents (theme, language, scale, slice colors and names), and the commands that
// change it.
#pragma once

#include <optional>

#include "app/shell/documents/session.hpp"
#include "app/shell/language_choice.hpp"
#include "app/shell/settings/color_modes.hpp"
#include "app/ui/commands/commands.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct AppearanceOptions {
  bool dark = true;
  std::optional<Language> language;  ///< nullopt: the system's language
  ColorOptions look;
  float interface_scale = 1;  ///< relative to the system's scale
};

/// Holds the appearance of the window, and binds the commands that change it. UI thread only.
class Appearance {
 public:
  explicit Appearance(const AppearanceOptions& options);

  /// Binds the commands. The object and `session` must outlive `commands`.
  void bind(Commands& commands, const Session& session);
  void toggle_theme() { theme_ = Theme::make(!theme_.dark); }
  void draw_language_note() { language_.draw_note(theme_); }

  const Theme& theme() const { return theme_; }
  const LanguageChoice& language_choice() const { return language_; }
  const ColorOptions& look() const { return look_; }
  float interface_scale() const { return interface_scale_; }
  /// Non-Latin characters in the texts of the window, in all languages chosen so far.
  const GlyphSet& text_glyphs() const { return text_glyphs_; }

 private:
  void choose_language(std::optional<Language> wanted);
  void step_scale(int step);
  void bind_languages(Commands& commands);
  void bind_scale(Commands& commands);
  void bind_colors(Commands& commands, const Session& session);

  Theme theme_;
  LanguageChoice language_;
  ColorOptions look_;
  float interface_scale_ = 1;
  GlyphSet text_glyphs_;
};

}  // namespace kino
