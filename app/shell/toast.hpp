// A sentence at the bottom of the window that goes away by itself.
#pragma once

#include <string>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Begins a window of one line, as wide as what is in it, in the middle of the window's lower edge. As
/// ImGui::Begin().
bool begin_line_below(const char* id);

/// UI thread only.
class Toast {
 public:
  /// Takes what tell_person() was told and shows it; problems stay until they are closed.
  void draw(const Theme& theme);
  /// For how long it stays if nothing happens; infinite without one that goes away.
  double seconds_left() const;
  /// Empty when there is none.
  const std::string& sentence() const { return sentence_; }

 private:
  std::string sentence_;
  bool problem_ = false;
  double until_ = 0;
};

}  // namespace kino
