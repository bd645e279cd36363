// Chooses the language of the interface: the user's choice or the system's language, or English if no
// installed font has the characters of that language.
#pragma once

#include <optional>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Chooses the language, and shows a note if no font has its characters. UI thread only.
class LanguageChoice {
 public:
  /// Sets the language of the interface; nullopt: the system's language. If no installed font has the
  /// characters of that language, sets English and the note.
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
