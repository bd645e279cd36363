// A bar of text and flat buttons on one line, filled from the left. Parts at the right end are placed first.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/box.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

struct BarText {
  std::uint32_t color = 0;
  std::string words;
  std::string brief{};  ///< replaces `words` if there is too little room; empty: `words` is elided
  std::string hint{};   ///< tooltip; empty for none
};

/// Created for one frame. Draw the parts at the right end first, then the others from left to right.
class BarLine {
 public:
  BarLine(ImDrawList& list, const Box& bar, const Theme& theme, float scale);

  /// Draws text and a separator after it. `hint` is its tooltip; empty for none.
  void text(std::uint32_t color, const std::string& words, const std::string& hint = {});
  /// Draws the texts in order. If they do not all fit, the last ones use their brief form.
  void texts(std::span<const BarText> parts);
  /// Draws a button at the right end of the remaining room; returns whether it was pressed. Draws nothing if
  /// the button does not fit.
  bool button_at_end(const char* id, const std::string& label, const std::string& hint);
  /// Reserves room at the right end for an item of a button's height. Returns its top left, or a negative x
  /// if it does not fit.
  ImVec2 take_at_end(float width);
  /// Draws a button at the left end of the remaining room; returns whether it was pressed. Draws nothing if
  /// the button does not fit.
  bool button(const char* id, const std::string& label, const std::string& hint);
  /// Reserves room for a picture, centered vertically. Returns its top left, or a negative x if it does not
  /// fit.
  ImVec2 take(float width, float height);
  /// Remaining width in px.
  float room() const;

 private:
  float px(float at_scale_1) const;
  bool button_at(float x, const char* id, const std::string& label, const std::string& hint) const;
  /// Draws the line between the previous text and the part that follows it.
  void draw_divider();

  ImDrawList& list_;
  Box bar_;
  const Theme& theme_;
  float scale_;
  float x_;
  float y_;
  bool divides_ = false;  // whether the last part was a text
};

}  // namespace kino
