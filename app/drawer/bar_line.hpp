// A bar of words and flat buttons in one line, from left to right.
#pragma once

#include <cstdint>
#include <string>

#include <imgui.h>

#include "app/widgets/box.hpp"
#include "app/widgets/theme.hpp"

namespace kino {

/// Lives for a frame, in which its parts are drawn one after the other.
class BarLine {
 public:
  BarLine(ImDrawList& list, const Box& bar, const Theme& theme, float scale);

  /// Words, and a line behind them. `hint` is shown while the mouse is on them, unless it is empty.
  void text(std::uint32_t color, const std::string& words, const std::string& hint = {});
  /// Whether it was pressed. Nothing where it has no room.
  bool button(const char* id, const std::string& label, const std::string& hint);
  /// Room for a picture in the middle of the line; left of the window where there is none.
  ImVec2 take(float width, float height);
  /// What is left, in px.
  float room() const;

 private:
  float px(float at_scale_1) const;

  ImDrawList& list_;
  Box bar_;
  const Theme& theme_;
  float scale_;
  float x_;
  float y_;
};

}  // namespace kino
