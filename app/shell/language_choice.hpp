// The language of the interface: the user's or the system's, if an installed font supports it.
#pragma once

#include <optional>

#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only.
class LanguageChoice {
 public:
  /// Sets language(); nullopt is the system's. If no font has its characters, English is used and draw_note()
  /// says so.
  void choose(std::optional<Language> wanted);
  /// nullopt if the system's language is used.
  std::optional<Language> wanted() const { return wanted_; }
  /// Text of the note; empty if there is none.
  const char* note() const { return note_ ? tr(*note_) : ""; }
  /// Draws one line at the bottom of the window until it is closed.
  void draw_note(const Theme& theme);

 private:
  std::optional<Language> wanted_;
  std::optional<Text> note_;
};

}  // namespace kino
