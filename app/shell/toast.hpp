// A sentence at the bottom of the window that disappears after a while.
#pragma once

#include <string>

#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Begins a window of one line at the middle of the lower edge, as wide as its content. Use it like
/// ImGui::Begin().
bool begin_line_below(const char* id);

/// UI thread only.
class Toast {
 public:
  /// Shows the sentence last passed to show_toast(). Problems remain until closed.
  void draw(const Theme& theme);
  /// Seconds until the sentence disappears; infinite if it does not.
  double seconds_left() const;
  const std::string& sentence() const { return sentence_; }

 private:
  std::string sentence_;
  bool problem_ = false;
  double until_ = 0;
};

}  // namespace kino
