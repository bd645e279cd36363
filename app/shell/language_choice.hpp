// The language of the interface as the person or the system wants it, as far as installed fonts can show it.
#pragma once

#include <optional>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class LanguageChoice {
 public:
  /// Sets language(); without `wanted` to the system's. English when no font has the characters of the
  /// language, and draw_note() says so.
  void choose(std::optional<Language> wanted);
  /// Nothing while the system's counts.
  std::optional<Language> wanted() const { return wanted_; }
  /// What the note says; empty without one.
  const char* note() const { return note_ ? tr(*note_) : ""; }
  /// One line at the bottom of the window until it is closed; nothing when all is well.
  void draw_note(const Theme& theme);

 private:
  std::optional<Language> wanted_;
  std::optional<Text> note_;
};

}  // namespace kino
