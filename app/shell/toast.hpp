// The toast: a sentence at the bottom of the window. Unless it reports a problem, it disappears after a
// while.
#pragma once

#include <chrono>
#include <string>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Begins a window of one line at the middle of the lower edge, as wide as its content. Use it like
/// ImGui::Begin().
bool begin_line_below(const char* id);

/// Displays the sentences passed to show_toast(), one at a time. UI thread only.
class Toast {
 public:
  /// Shows the sentence last passed to show_toast(). It remains while the mouse is over it. A problem remains
  /// until it is closed or replaced.
  void draw(const Theme& theme);
  /// Seconds until the sentence disappears; infinite if it remains or if there is none.
  double seconds_left() const;
  const std::string& sentence() const { return sentence_; }

 private:
  // ImGui's clock does not count the time between frames in full.
  using Clock = std::chrono::steady_clock;

  std::string sentence_;
  bool problem_ = false;
  Clock::time_point until_;
};

}  // namespace kino
