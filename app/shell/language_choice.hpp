// Chooses the language of the interface: that of the user or of the system, if an installed font has its
// characters.
#pragma once

#include <optional>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class LanguageChoice {
 public:
  /// Sets the language of the interface; nullopt: the system's language. If no font has its characters, sets
  /// English, and draw_note() shows a note about it.
  void choose(std::optional<Language> wanted);
  /// The language that the user has chosen; nullopt if the system's language is used.
  std::optional<Language> wanted() const { return wanted_; }
  /// Text of the note; empty if there is none.
  const char* note() const { return note_ ? tr(*note_) : ""; }
  /// Draws the note as a line at the bottom of the window, with a button that closes it. Does nothing without
  /// a note.
  void draw_note(const Theme& theme);

 private:
  std::optional<Language> wanted_;
  std::optional<Text> note_;
};

}  // namespace kino
